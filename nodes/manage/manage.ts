import type { Node, NodeAPI, NodeDef } from "node-red";
import { type Connection, channelOf, connectionOf, walletOf } from "../lib/runtime/config-nodes.ts";
import { clientFor, createdOf } from "../lib/runtime/created.ts";
import { channelOverride, withDetails } from "../lib/runtime/details.ts";
import { readText, requireText, waitMs } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { ACTIONS } from "./actions.ts";

export type ManageDef = NodeDef & {
  connection?: string;
  /** The channel of watchers and queries. */
  channel?: string;
  /** The wallet to create or find. */
  wallet?: string;
  /** `resource.action`, a key of ACTIONS. */
  action?: string;
  /** Name or id of what is meant. */
  target?: string;
  targetType?: string;
  newName?: string;
  newNameType?: string;
  description?: string;
  descriptionType?: string;
  /** Seconds to wait for what does not happen at once. */
  timeout?: string | number;
};

const DEFAULT_TIMEOUT_SECONDS = 60;

export default function register(RED: NodeAPI): void {
  function ConstructManage(this: Node, def: ManageDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      const name = def.action ?? "channels.list";
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (!action)
        throw nodeError("UNKNOWN_ACTION", `"${name}" is not an action of this node. Choose one in its form.`);
      showStatus(this, "working", "manage.status.working");

      const connection = connectionFor(RED, def, name);
      const client = await clientFor(connection, msg);
      const { payload, crec } = await action({
        client,
        signal,
        timeoutMs: () => waitMs(def.timeout, DEFAULT_TIMEOUT_SECONDS),
        wallet: () => walletOf(RED, def.wallet),
        channelId: async () => channelOverride(msg) ?? channelOf(RED, def.channel).resolve(signal),
        target: () =>
          requireText(RED, this, msg, { label: "Name or id", value: def.target, type: def.targetType }),
        newName: () =>
          requireText(RED, this, msg, { label: "New name", value: def.newName, type: def.newNameType }),
        description: () =>
          readText(RED, this, msg, {
            label: "Description",
            value: def.description,
            type: def.descriptionType,
          }),
        onStatus: (status) => {
          showStatus(this, "working", status);
          msg.crec = { ...msg.crec, status };
        },
        note: (known) => {
          msg.crec = withDetails(msg, { ...known, ...createdOf(client, msg, known) });
        },
      });
      send(answer(msg, payload, { ...crec, ...createdOf(client, msg, crec) }));
      showStatus(this, "done", typeof crec.status === "string" ? crec.status : "manage.status.done");
    });
  }
  RED.nodes.registerType("crec-manage", ConstructManage);
}

/** A channel or wallet brings its own connection; the form shows that one then. */
function connectionFor(RED: NodeAPI, def: ManageDef, action: string): Connection {
  if (action.startsWith("watchers.") || action.startsWith("queries."))
    return channelOf(RED, def.channel).connection();
  if (action === "wallets.create-or-find") return walletOf(RED, def.wallet).connection();
  return connectionOf(RED, def.connection);
}
