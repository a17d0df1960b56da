import type { Node, NodeAPI } from "node-red";
import { canonicalId } from "../../src/protocol/ids.ts";
import { originOf } from "../lib/runtime/activity/origin.ts";
import { noteResources } from "../lib/runtime/activity/resources.ts";
import { type Connection, channelOf, connectionOf, walletOf } from "../lib/runtime/config-nodes.ts";
import { clientFor, createdOf } from "../lib/runtime/created.ts";
import { withDetails } from "../lib/runtime/details.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { answer, onInput, type Task } from "../lib/runtime/input.ts";
import { serviceStatus } from "../lib/runtime/service-words.ts";
import { showStatus, statusText } from "../lib/runtime/status.ts";
import { refuseTest } from "../lib/runtime/test-message.ts";
import { requireSameService } from "../lib/runtime/waits/waits.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { ACTIONS, type ActionContext, type ManageWait, resume } from "./actions.ts";
import { isWrite, type ManageAction, type ManageDef, NODE, needs } from "./fields.ts";

export default function register(RED: NodeAPI): void {
  function ConstructManage(this: Node, def: ManageDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);

    const act = async ({ msg, send, signal, kept, keep }: Task): Promise<void> => {
      const wait = kept?.about as ManageWait | undefined;
      const action = wait?.action ?? actionOf(fields.settings);
      if (!kept && isWrite(action)) refuseTest(msg, fields);
      showStatus(this, "working", statusText(RED, kept ? "common.status.resuming" : "manage.status.working"));
      const connection = connectionFor(RED, fields.settings, action);
      if (kept) requireSameService(kept, connection);
      const client = await clientFor(connection, msg);
      const values = fields.of(msg);
      const seen = { service: connection.baseUrl, origin: originOf(this) };
      const context: ActionContext = {
        client,
        signal,
        timeoutMs: () => fields.milliseconds("timeout"),
        wallet: () => walletOf(RED, fields.settings.wallet),
        channelId: async () =>
          fields.of(msg).override("channel") ?? channelOf(RED, fields.settings.channel).resolve(signal),
        target: () => values.required("target"),
        newName: () => values.required("newName"),
        description: () => values.optional("description"),
        onStatus: (resource) => {
          const { status } = resource;
          noteResources(resource, seen);
          showStatus(this, "working", serviceStatus(RED, status));
          msg.crec = { ...msg.crec, status };
        },
        note: (known) => {
          msg.crec = withDetails(msg, { ...known, ...createdOf(client, msg, known) });
        },
        keep: (about) => keep({ id: canonicalId(about.id), connection, about }),
      };
      const { payload, crec } = await (wait ? resume(context, wait) : ACTIONS[action](context));
      noteResources(payload, seen);
      send(answer(msg, payload, { ...crec, ...createdOf(client, msg, crec) }));
      const { status } = crec;
      const said =
        typeof status === "string" ? serviceStatus(RED, status) : statusText(RED, "manage.status.done");
      showStatus(this, "done", said);
    };
    onInput(RED, this, def, act, { resumes: () => fields.flag("resume") });
  }
  RED.nodes.registerType("crec-manage", ConstructManage);
}

/** @throws UNKNOWN_ACTION */
function actionOf({ action = NODE.fields.action.default }: ManageDef): ManageAction {
  if (Object.hasOwn(ACTIONS, action)) return action;
  throw nodeError("UNKNOWN_ACTION", `"${action}" is not an action of this node. Choose one in its form.`);
}

/** A channel and a wallet have their own connection, and the form does not show another one. */
function connectionFor(
  RED: NodeAPI,
  { connection, channel, wallet }: ManageDef,
  action: ManageAction,
): Connection {
  if (needs(action, "channel")) return channelOf(RED, channel).connection();
  if (needs(action, "wallet")) return walletOf(RED, wallet).connection();
  return connectionOf(RED, connection);
}
