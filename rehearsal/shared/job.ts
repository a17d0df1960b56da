import type { ChannelEvent } from "../../src/protocol/index.ts";

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

/** A node as the editor exports it: a tab, a subflow, a config node or a node of a flow. Without credentials. */
export type FlowNode = {
  id: string;
  type: string;
  /** The tab or subflow that it is on. */
  z?: string;
  name?: string;
  wires?: string[][];
  [property: string]: unknown;
};

/** The Node-RED that a rehearsal uses. Paths are absolute. */
export type InstalledNodeRed = {
  version: string;
  /** The folder of `@node-red/runtime`. */
  runtime: string;
  /** The folder of `@node-red/util`. The same one that the runtime loads. */
  util: string;
  /** The folder of `@node-red/nodes`. */
  nodes: string;
  /** What the process may read to run it: module folders. */
  readable: readonly string[];
};

/** What the child knows when it starts, before any code of Node-RED is loaded: JSON, its first argument. */
export type ChildSetup = {
  nodeRed: InstalledNodeRed;
  /** This package. */
  packageFolder: string;
  /** Its current folder. It stays empty. */
  workFolder: string;
  modules: readonly TickedModule[];
  timeZone: string;
  language: string;
};

/**
 * A key of context as Node-RED takes one that is no path: in quotes, so that `my key` and `192.168.0.1` are single keys.
 * Undefined where Node-RED has no way to write it, so that no node can read it either: an empty key, or one with both
 * kinds of quotes.
 */
export function quotedKey(key: string): string | undefined {
  if (key === "") return undefined;
  if (!key.includes('"')) return `"${key}"`;
  return key.includes("'") ? undefined : `'${key}'`;
}
