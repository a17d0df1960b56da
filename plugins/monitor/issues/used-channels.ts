import type { NodeAPI } from "node-red";
import type { ChannelNode, Connection } from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { channelKey, type ListedWatcher } from "./answer-cache.ts";
import type { Scene } from "./check.ts";
import { connectionOf } from "./settings.ts";

/** A channel that nodes use. */
export type UsedChannel = {
  node: FlowNode;
  /** As the form names it: a name or an id. */
  label: string;
  connection: Connection;
};

/** Each once, even if several nodes name it alike. Those with incomplete settings are left out. */
export function usedChannels(RED: NodeAPI, flows: Flows): UsedChannel[] {
  const found = new Map<string, UsedChannel>();
  for (const node of flows.ofType("crec-channel")) {
    const channel = (RED.nodes.getNode(node.id) as Partial<ChannelNode> | null)?.channel;
    const connection = connectionOf(RED, node);
    if (!channel || channel.problem || !connection || connection.problem) continue;
    const { label } = channel;
    const key = channelKey(connection.baseUrl, label);
    if (!found.has(key)) found.set(key, { node, label, connection });
  }
  return [...found.values()];
}

/** A watcher as the service has listed it, with a channel that has it. */
export type KnownWatcher = ListedWatcher & { channel: UsedChannel };

/** The watchers of all used channels that the service was asked about, each once. */
export function knownWatchers({ RED, flows, asked }: Pick<Scene, "RED" | "flows" | "asked">): KnownWatcher[] {
  const found = new Map<string, KnownWatcher>();
  for (const channel of usedChannels(RED, flows)) {
    const answer = asked.channels.get(channelKey(channel.connection.baseUrl, channel.label));
    for (const watcher of answer?.value.watchers ?? []) found.set(watcher.id, { ...watcher, channel });
  }
  return [...found.values()];
}
