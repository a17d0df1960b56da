import type { Duplex } from "node:stream";

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
