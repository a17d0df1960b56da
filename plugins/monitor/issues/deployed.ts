import type {
  ChannelNode,
  Connection,
  ContractNode,
  ContractRef,
} from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { canonicalWorkflowId } from "../../../src/protocol/ids.ts";
import { channelKey, type ListedWatcher } from "./answer-cache.ts";
import type { CheckContext } from "./check-context.ts";

/** A contract node, with a connection by which nodes use it. */
type UsedContract = {
  node: FlowNode;
  contract: ContractRef;
  connection: Connection;
  /** Of the channel or connection: a config node that queries can use. */
  connectionId: string;
};

/** The contracts in use, once for each connection. Those with incomplete settings are left out. */
export function deployedContracts(context: CheckContext): UsedContract[] {
  const found = new Map<string, UsedContract>();
  const note = (node: FlowNode, user: FlowNode) => {
    const contract = context.running<ContractNode>(node.id)?.contract;
    const connection = context.connectionOf(user);
    const connectionId = connectionIdOf(context.flows, user);
    if (!contract || contract.problem || !connection || connection.problem || !connectionId) return;
    found.set(`${node.id} ${connectionId}`, { node, contract, connection, connectionId });
  };
  const contracts = new Map(context.flows.ofType("crec-contract").map((node) => [node.id, node]));
  for (const user of context.flows.all()) {
    if (!user.type.startsWith("crec-") || user.type === "crec-contract") continue;
    for (const id of contractsOf(user)) {
      const node = contracts.get(id);
      if (node) note(node, user);
    }
  }
  return [...found.values()];
}

function contractsOf({ contract, calls }: FlowNode): Set<string> {
  const called = Array.isArray(calls)
    ? calls.map((call: unknown) => (call as FlowNode | null)?.contract)
    : [];
  return new Set([contract, ...called].filter((id) => typeof id === "string"));
}

function connectionIdOf(flows: Flows, user: FlowNode): string | undefined {
  const by = flows.get(user.channel) ?? flows.get(user.wallet) ?? user;
  return flows.get(by.connection)?.id;
}

/** A channel that nodes use. */
export type UsedChannel = {
  node: FlowNode;
  /** As the form names it: a name or an id. */
  label: string;
  connection: Connection;
};

/** Each once, even if several nodes name it alike. Those with incomplete settings are left out. */
export function usedChannels(context: CheckContext): UsedChannel[] {
  const found = new Map<string, UsedChannel>();
  for (const node of context.flows.ofType("crec-channel")) {
    const channel = context.running<ChannelNode>(node.id)?.channel;
    const connection = context.connectionOf(node);
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
export function knownWatchers(context: CheckContext): KnownWatcher[] {
  const found = new Map<string, KnownWatcher>();
  for (const channel of usedChannels(context)) {
    const answer = context.answers.channels.get(channelKey(channel.connection.baseUrl, channel.label));
    for (const watcher of answer?.value.watchers ?? []) found.set(watcher.id, { ...watcher, channel });
  }
  return [...found.values()];
}

/** A node that verifies events, with the watchers whose events it accepts. */
export type Verifying = {
  node: FlowNode;
  connection: Connection;
  /** Workflow ids; undefined for any watcher, and where they are not known. */
  accepted: ReadonlySet<string> | undefined;
};

export function verifyingNodes(context: CheckContext): Verifying[] {
  return context.flows.ofType("crec-events-in", "crec-verify-event").flatMap((node): Verifying[] => {
    const connection = context.connectionOf(node);
    if (!connection || node.verify === false) return [];
    return [{ node, connection, accepted: acceptedBy(context, node) }];
  });
}

function acceptedBy(context: CheckContext, node: FlowNode): ReadonlySet<string> | undefined {
  const isList = node.acceptWatchersType === "json";
  const names = isList ? listIn(node.acceptWatchers) : context.namesOf(node, "acceptWatchers");
  if (names === undefined || names.length === 0) return undefined;
  return new Set(names.flatMap((name) => canonicalWorkflowId(name) ?? []));
}

/** Undefined for anything but a list of texts. */
function listIn(json: unknown): string[] | undefined {
  try {
    const list: unknown = JSON.parse(String(json));
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}
