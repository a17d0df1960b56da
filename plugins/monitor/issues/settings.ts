import type { Node, NodeAPI } from "node-red";
import type {
  ChannelNode,
  ChannelRef,
  Connection,
  ConnectionNode,
  WalletNode,
} from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode } from "../../../nodes/common/flows/flows.ts";
import { serviceIdentity } from "../../../nodes/common/service-identity.ts";
import { splitNames } from "../../../nodes/common/shared/split-names.ts";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import type { InFlightEvent } from "../../../src/index.ts";

/** The text of a field, with variables replaced; undefined where only a message, or an instance, decides it. */
export function textOf(RED: NodeAPI, node: FlowNode, field: string): string | undefined {
  const raw = String(node[field] ?? "").trim();
  const type = node[`${field}Type`] || "str";
  if (type === "env") return variable(RED, node, raw);
  if (type !== "str") return undefined;
  if (isReference(raw)) return variable(RED, node, raw.slice(2, -1));
  return raw.includes("${") ? undefined : raw;
}

/** The names in a field; undefined where they are not known. */
export function namesOf(RED: NodeAPI, node: FlowNode, field: string): string[] | undefined {
  const text = textOf(RED, node, field);
  return text === undefined ? undefined : splitNames(text);
}

function variable(RED: NodeAPI, node: FlowNode, name: string): string | undefined {
  const running = RED.nodes.getNode(node.id) as Node | null;
  const value: unknown = running ? RED.util.getSetting(running, name) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : undefined;
}

/** The running node that a field names; undefined in a subflow whose instances decide it. */
function chosen<T>(RED: NodeAPI, node: FlowNode, field: string): (Node & Partial<T>) | undefined {
  const id = textOf(RED, node, field);
  return id ? ((RED.nodes.getNode(id) as (Node & Partial<T>) | null) ?? undefined) : undefined;
}

export function channelOf(RED: NodeAPI, node: FlowNode): ChannelRef | undefined {
  return chosen<ChannelNode>(RED, node, "channel")?.channel;
}

/** The connection that a node uses: its own, or that of its channel or wallet. */
export function connectionOf(RED: NodeAPI, node: FlowNode): Connection | undefined {
  const own = chosen<ConnectionNode>(RED, node, "connection")?.connection;
  const ref = channelOf(RED, node) ?? chosen<WalletNode>(RED, node, "wallet")?.wallet;
  try {
    return own ?? ref?.connection();
  } catch {
    // It is missing or incomplete, which is an issue of its own.
    return undefined;
  }
}

/** Whether two base URLs are the same service. */
export function isSameService(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && serviceIdentity(one) === serviceIdentity(other);
}

/** What an events in node knows; undefined until it reads. */
export type RunningReader = {
  identity: { channelId: string };
  consumer: {
    state: { kind: string; error?: { code?: string; message: string } };
    inFlight?: readonly InFlightEvent[];
  };
  watcherCheck: { unwatched: { names: readonly string[] } | undefined };
};

/** The readers of a node: one, or one for each instance of its subflow. */
export function readersOf(RED: NodeAPI, ids: readonly string[]): RunningReader[] {
  return ids.flatMap((id) => (RED.nodes.getNode(id) as { reader?: RunningReader } | null)?.reader ?? []);
}
