import fs from "node:fs";
import { Socket } from "node:net";
import {
  DESCRIPTORS,
  FROM_PARENT,
  NO_PIPE,
  readMessages,
  type ToChild,
  type ToParent,
  writeMessage,
} from "../shared/messages.ts";
import { MAX_REPORT_BYTES, type Report } from "../shared/report.ts";

/** What the child keeps of the pipe to its parent. */
export type Channel = {
  send(message: ToParent): void;
  /** Resolves when the parent has it. */
  sendLast(message: ToParent): Promise<void>;
  /** Writes the report into its file, and says so. */
  report(report: Report): Promise<void>;
  /** One listener. Messages from before it are kept for it. */
  listen(listener: (message: ToChild) => void): void;
};

/** The doors close the first for all others, and a flow may replace the rest. */
const { writeSync } = fs;
const { stringify } = JSON;
const bytesOf = Buffer.from.bind(Buffer);

/**
 * Opens the pipe to the parent, before the doors are closed. The process ends when the parent is gone. `process` knows
 * nothing of the pipe.
 */
export function takeChannel(): Channel {
  const pipe = openPipe();
  // Without the handlers that a flow may have added for the end.
  const exit = (process as unknown as { reallyExit(code: number): never }).reallyExit;
  const end = () => exit.call(process, 1);
  const kept: ToChild[] = [];
  let listener: ((message: ToChild) => void) | undefined;
  const onMessage = (message: ToChild) => {
    if (listener === undefined) kept.push(message);
    else listener(message);
  };
  readMessages<ToChild>(pipe, FROM_PARENT, { onMessage, onWrong: end, onEnd: end });
  pipe.on("error", end);
  return {
    send: (message) => void writeMessage(pipe, message),
    sendLast: (message) => writeMessage(pipe, message),
    report: (report) => {
      const text = bytesOf(stringify(report));
      if (text.length > MAX_REPORT_BYTES) throw new Error("its report is too large");
      for (let at = 0; at < text.length; ) at += writeSync(DESCRIPTORS.report, text, at);
      return writeMessage(pipe, { kind: "reported" });
    },
    listen: (added) => {
      listener = added;
      for (const message of kept.splice(0)) added(message);
    },
  };
}

function openPipe(): Socket {
  try {
    return new Socket({ fd: DESCRIPTORS.pipe, readable: true, writable: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_ACCESS_DENIED") process.exit(NO_PIPE);
    throw new Error("This program is started by a rehearsal, not by itself.", { cause });
  }
}
