import type { ToChild, ToParent } from "../shared/messages.ts";

/** What the child keeps of the IPC channel of its process. */
export type Channel = {
  send(message: ToParent): void;
  /** Resolves when the parent has it. */
  sendLast(message: ToParent): Promise<void>;
  /** One listener. Messages from before it are kept for it. */
  listen(listener: (message: ToChild) => void): void;
};

/** Takes the channel away from `process`, so that no code of a flow can speak for the child. */
export function takeChannel(): Channel {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error("This program is started by a rehearsal, not by itself.");
  const kept: ToChild[] = [];
  let listener: ((message: ToChild) => void) | undefined;
  process.on("message", (message: ToChild) => {
    if (listener === undefined) kept.push(message);
    else listener(message);
  });
  process.on("disconnect", () => process.exit(1));
  Reflect.deleteProperty(process, "send");
  Reflect.deleteProperty(process, "disconnect");
  return {
    send: (message) => void send(message),
    sendLast: (message) =>
      new Promise((resolve) => void send(message, undefined, undefined, () => resolve())),
    listen: (added) => {
      listener = added;
      for (const message of kept.splice(0)) added(message);
    },
  };
}
