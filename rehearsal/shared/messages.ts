import type { Job, PastEvent } from "./job.ts";
import type { Report } from "./report.ts";

// What parent and child say to each other, through a pipe. Not through the IPC channel of Node.js: a child that writes
// something wrong into that ends its parent.

/** A read-only call at today's newest block, for a query or a call of an operation. */
export type CallToAsk = {
  channelId: string;
  chainSelector: string;
  from?: string;
  to: string;
  data: string;
  value?: string;
};

/** What the call returns today, or why it fails. */
export type CallAnswer = { block?: string; result: string } | { error: string };

export type ToChild =
  | { kind: "job"; job: Job }
  /** In the order of their times. `isLast`: nothing follows. */
  | { kind: "events"; events: readonly PastEvent[]; isLast: boolean }
  | { kind: "answer"; id: number; answer: CallAnswer }
  /** Stops, and reports what has happened so far. */
  | { kind: "cancel" };

export type ToParent =
  /** The runtime is loaded; waits for the job. */
  | { kind: "ready" }
  /** Waits for more events. */
  | { kind: "more" }
  /** `at`: the simulated time. */
  | { kind: "progress"; at: number; events: number; alerts: number; left: number }
  | { kind: "ask"; id: number; call: CallToAsk }
  | { kind: "report"; report: Report }
  /** Nothing was rehearsed. */
  | { kind: "failed"; code: string; message: string };
