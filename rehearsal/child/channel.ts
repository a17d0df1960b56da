import { Socket } from "node:net";
import type { ToChild, ToParent } from "../shared/messages.ts";
import { readMessages, writeMessage } from "../shared/wire.ts";

/** What the child keeps of the pipe to its parent. */
export type Channel = {
  send(message: ToParent): void;
  /** Resolves when the parent has it. */
  sendLast(message: ToParent): Promise<void>;
  /** One listener. Messages from before it are kept for it. */
  listen(listener: (message: ToChild) => void): void;
};

/** The parent gives the pipe this number, behind the standard streams. */
const PIPE = 3;

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
  readMessages<ToChild>(pipe, { onMessage, onWrong: end, onEnd: end });
  pipe.on("error", end);
  return {
    send: (message) => void writeMessage(pipe, message),
    sendLast: (message) => writeMessage(pipe, message),
    listen: (added) => {
      listener = added;
      for (const message of kept.splice(0)) added(message);
    },
  };
}

function openPipe(): Socket {
  try {
    return new Socket({ fd: PIPE, readable: true, writable: true });
  } catch (cause) {
    throw new Error("This program is started by a rehearsal, not by itself.", { cause });
  }
}
