import type { ChannelEvent } from "../../src/protocol/index.ts";
import type { FlowNode } from "./flow-node.ts";

export type { FlowNode } from "./flow-node.ts";

// What the parent gives to the child process in which a flow is rehearsed. All times are Unix milliseconds.

/** A resource as the service sends it. */
export type Wire = Readonly<Record<string, unknown>>;

/** What the service had when the events were read. Nodes that list or look up are answered from it. */
export type ServiceSnapshot = {
  networks: readonly Wire[];
  wallets: readonly Wire[];
  channels: ReadonlyArray<{ channel: Wire; watchers: readonly Wire[] }>;
};

/** A past event, and when it happens in the rehearsal. */
export type PastEvent = { channelId: string; event: ChannelEvent; at: number };

/** A copy of context. Only what is plain JSON. */
export type ContextCopy = {
  global: Wire;
  /** By the id of the tab or subflow. */
  flows: Readonly<Record<string, Wire>>;
  /** By the id of the node. */
  nodes: Readonly<Record<string, Wire>>;
};

/** A palette whose nodes run, because the person ticked it. Its code runs when it is loaded. */
export type TickedModule = { name: string; folder: string };

/** What a recorded node sends when it gets a message: one message an output, `null` for none. */
export type TestReply = ReadonlyArray<Wire | null>;

/** By the id of the node: its replies in turn; the last one repeats. */
export type TestReplies = Readonly<Record<string, readonly TestReply[]>>;

export type Job = {
  flows: readonly FlowNode[];
  /** Variables that fields of the flows name. The process has no others. */
  environment: Readonly<Record<string, string>>;
  /** @default context starts empty */
  context?: ContextCopy | undefined;
  /** The clock starts at `from` and stops at `to`. */
  span: { from: number; to: number };
  seed: number;
  /** Such as `Europe/Berlin`. */
  timeZone: string;
  /** Of texts that nodes write, such as `en-US`. */
  language: string;
  snapshot: ServiceSnapshot;
  modules: readonly TickedModule[];
  replies: TestReplies;
  /** Whether the parent asks an `evm_call` query of today's block for queries and operations. */
  askQueries: boolean;
  limits: ReportLimits;
};

/** How much of a rehearsal is kept. Counts are always of everything. */
type ReportLimits = {
  /** Outcomes of each kind of each node. */
  outcomesPerNode: number;
  /** Of a message, as JSON. */
  messageBytes: number;
  paths: number;
};

export const REPORT_LIMITS: ReportLimits = { outcomesPerNode: 1_000, messageBytes: 4_096, paths: 5_000 };
