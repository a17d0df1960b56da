import type { Duplex } from "node:stream";

// Messages through a pipe: one JSON text a line.

/** Longer messages end the reading. A report is smaller: `Outcomes` keeps less. */
export const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

export type Reader<T> = {
  /** A message as it came: nothing of it has been checked but that it is an object with a `kind`. */
  onMessage(message: T): void;
  /** What came is not a message. Nothing is read any more. */
  onWrong(): void;
  onEnd(): void;
};

/** Reads messages. */
export function readMessages<T extends { kind: string }>(pipe: Duplex, reader: Reader<T>): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      bytes = 0;
      start = end + 1;
      const message = parsed<T>(line);
      if (message === undefined) return stop();
      reader.onMessage(message);
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > MAX_MESSAGE_BYTES) stop();
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
