import type { Node, NodeAPI } from "node-red";
import { canonicalId } from "../../src/protocol/ids.ts";
import { type Connection, channelOf, connectionOf, walletOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import type { FlowNodes } from "../common/fields/flow-settings.ts";
import { answer, onInput, type Task } from "../common/fields/input.ts";
import { clientFor, createdOf } from "../common/messages/created.ts";
import { refuseTest, withDetails } from "../common/messages/message.ts";
import { serviceStatus } from "../common/messages/service-words.ts";
import { nodeError } from "../common/shared/errors.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService } from "../common/tasks/durable-task.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { noteResources } from "../common/telemetry/resources.ts";
import { ACTIONS, type ActionContext, type ManageWait, resume } from "./actions.ts";
import { isWrite, type ManageAction, type ManageDef, NODE, needs } from "./fields.ts";

export default function register(RED: NodeAPI): void {
  function ConstructManage(this: Node, def: ManageDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    const act = async ({ msg, send, signal, kept, keep }: Task): Promise<void> => {
      const wait = kept?.about as ManageWait | undefined;
      const action = wait?.action ?? actionOf(fields.settings);
      if (!kept && isWrite(action)) refuseTest(msg, fields);
      showStatus(this, "working", statusText(t, kept ? "common.status.resuming" : "manage.status.working"));
      const connection = connectionFor(RED.nodes, fields.settings, action);
      if (kept) requireSameService(kept, connection);
      const client = await clientFor(connection, msg);
      const values = fields.of(msg);
      const seen = { service: connection.baseUrl, origin: originOf(this) };
      const context: ActionContext = {
        client,
        signal,
        timeoutMs: () => fields.milliseconds("timeout"),
        wallet: () => walletOf(RED.nodes, fields.settings.wallet),
        channelId: async () =>
          fields.of(msg).override("channel") ?? channelOf(RED.nodes, fields.settings.channel).resolve(signal),
        target: () => values.required("target"),
        newName: () => values.required("newName"),
        description: () => values.optional("description"),
        onStatus: (resource) => {
          const { status } = resource;
          noteResources(resource, seen);
          showStatus(this, "working", serviceStatus(t, status));
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
        typeof status === "string" ? serviceStatus(t, status) : statusText(t, "manage.status.done");
      showStatus(this, "done", said);
    };
    onInput(context, def, act, { resumes: () => fields.flag("resume") });
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
  nodes: FlowNodes,
  { connection, channel, wallet }: ManageDef,
  action: ManageAction,
): Connection {
  if (needs(action, "channel")) return channelOf(nodes, channel).connection();
  if (needs(action, "wallet")) return walletOf(nodes, wallet).connection();
  return connectionOf(nodes, connection);
}
