import type { Node } from "node-red";
import type { CrecClient } from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import type { ChannelNode } from "../fields/config-nodes.ts";
import { type FlowNodes, storedValue } from "../fields/flow-settings.ts";
import { nodeError } from "../shared/errors.ts";

type Channel = { channelId: string; channel: string };

/**
 * A channel that exists, for queries of a form: one of this Node-RED, else any active one of the account. None is
 * created: a form must not change the account.
 * @throws CHANNEL_NOT_FOUND
 */
export async function queryChannel(
  nodes: FlowNodes,
  connectionId: string,
  client: CrecClient,
  signal: AbortSignal,
): Promise<Channel> {
  for (const label of deployedChannels(nodes, connectionId)) {
    const found = isUuid(label)
      ? await client.channels.get(label, { signal }).catch(() => undefined)
      : await client.channels.findByName(label, { signal });
    if (found?.status === "active") return { channelId: found.channel_id, channel: found.name };
  }
  for await (const found of client.channels.list({ status: ["active"], limit: 1 }, { signal })) {
    return { channelId: found.channel_id, channel: found.name };
  }
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    "The chain is read by queries in a channel, and this account has no channel yet. Create one, for example with the node manage, then try again.",
  );
}

/** Names and ids of the channels that are deployed with this connection. */
function deployedChannels(nodes: FlowNodes, connectionId: string): string[] {
  const labels: string[] = [];
  nodes.eachNode(({ id, type }) => {
    if (type !== "crec-channel" || storedValue(nodes, id, "connection") !== connectionId) return;
    const { channel } = (nodes.getNode(id) ?? {}) as Partial<Node & ChannelNode>;
    if (channel && !channel.problem) labels.push(channel.label);
  });
  return labels;
}
