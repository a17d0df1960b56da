import type { Job, PastEvent } from "./job.ts";

// What parent and child say to each other, through a pipe. Not through the IPC channel of Node.js: a child that writes
// something wrong into that ends its parent. The report goes into a file, which the parent opened and reads at the end.

/** The numbers under which the child has both, behind the standard streams. */
export const DESCRIPTORS = { pipe: 3, report: 4 } as const;

/** The exit code of a process that its Node.js gives no pipe: newer versions may ask for one permission more. */
export const NO_PIPE = 78;

/** Calls of today that are asked in one rehearsal. Each is a query of the service. */
export const MAX_ASKED = 1_000;
/** Of the text of a failure. */
export const LONGEST_TEXT = 2_000;

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
  /** The report is in its file. */
  | { kind: "reported" }
  /** Nothing was rehearsed. */
  | { kind: "failed"; code: string; message: string };
