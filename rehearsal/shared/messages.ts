import type { Duplex } from "node:stream";
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

// Messages through a pipe: one JSON text a line.

/** What is read at most. More ends the reading. */
type Bounds = { messageBytes: number; messages: number; bytes: number };

/**
 * Of what a child says. A flow may write into the pipe, and each message takes time of the thread that Node-RED runs on.
 * Half a million events are 1,000 messages; ten minutes of progress are 3,000.
 */
export const FROM_CHILD: Bounds = { messageBytes: 64 * 2 ** 10, messages: 50_000, bytes: 32 * 2 ** 20 };
/** The parent is trusted. */
export const FROM_PARENT: Bounds = {
  messageBytes: 64 * 2 ** 20,
  messages: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
};

type Reader<T> = {
  /** A message as it came: nothing of it has been checked but that it is an object with a `kind`. */
  onMessage(message: T): void;
  /** What came is not a message. Nothing is read any more. */
  onWrong(): void;
  onEnd(): void;
};

/** Reads messages, within the bounds. */
export function readMessages<T extends { kind: string }>(
  pipe: Duplex,
  bounds: Bounds,
  reader: Reader<T>,
): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const read = { messages: 0, bytes: 0 };
  const take = (chunk: Buffer) => {
    read.bytes += chunk.length;
    if (read.bytes > bounds.bytes) return stop();
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      bytes = 0;
      start = end + 1;
      read.messages += 1;
      const fits = line.length <= bounds.messageBytes && read.messages <= bounds.messages;
      const message = fits ? parsed<T>(line) : undefined;
      if (message === undefined) return stop();
      reader.onMessage(message);
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > bounds.messageBytes) stop();
  };
  const stop = () => {
    pipe.off("data", take);
    pipe.resume();
    reader.onWrong();
  };
  pipe.on("data", take);
  pipe.once("end", () => reader.onEnd());
}

/** Resolves when the message has left, also when nobody reads it any more. */
export function writeMessage(pipe: Duplex, message: { kind: string }): Promise<void> {
  return new Promise((resolve) => {
    pipe.write(`${JSON.stringify(message)}\n`, () => resolve());
  });
}

function parsed<T>(line: Buffer): T | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    return typeof (value as { kind?: unknown }).kind === "string" ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
