import type { NodeAPI, NodeDef } from "node-red";
import { canonicalId, isUuid } from "../../src/protocol/ids.ts";
import { type ChannelNode, type ChannelRef, connectionOf, problemIn } from "../lib/runtime/config-nodes.ts";
import { type CodedError, nodeError, toCodedError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";

export type ChannelDef = NodeDef & {
  connection?: string;
  /** A channel's name, or its id. */
  channel?: string;
  /** Create a channel of this name on first use where there is none. */
  createMissing?: boolean;
};

export default function register(RED: NodeAPI): void {
  function ConstructChannel(this: ChannelNode, def: ChannelDef): void {
    RED.nodes.createNode(this, def);
    this.channel = openChannel(RED, def);
  }
  RED.nodes.registerType("crec-channel", ConstructChannel);
}

function openChannel(RED: NodeAPI, def: ChannelDef): ChannelRef {
  const wanted = (def.channel ?? "").trim();
  const connection = () => connectionOf(RED, def.connection);
  let known: Promise<string> | undefined;

  const lookUp = async (signal: AbortSignal): Promise<string> => {
    if (isUuid(wanted)) return canonicalId(wanted);
    const client = await connection().client();
    if (def.createMissing) {
      return (await client.channels.createOrFind({ name: wanted }, { signal })).channel.channel_id;
    }
    const channel = await client.channels.findByName(wanted, { signal });
    if (channel) return channel.channel_id;
    throw nodeError(
      "CHANNEL_NOT_FOUND",
      `There is no channel named "${wanted}". Create it first, or tick "create it when missing" in the channel's form.`,
    );
  };
  return {
    label: wanted,
    problem: unsetVariable(def) ?? problemOf(wanted, connection),
    connection,
    resolve: async (signal) => {
      for (;;) {
        known ??= lookUp(signal);
        const looking = known;
        try {
          return await looking;
        } catch (error) {
          if (known === looking) known = undefined;
          // Another node's look-up, which ended with that node: this one looks for itself.
          if (toCodedError(error).code !== "ABORTED" || signal.aborted) throw error;
        }
      }
    },
  };
}

function problemOf(wanted: string, connection: () => unknown): CodedError | undefined {
  if (wanted === "") {
    return nodeError(
      "CHANNEL_INCOMPLETE",
      "The channel has neither name nor id. Open the channel and fill it in.",
    );
  }
  return problemIn(connection);
}
