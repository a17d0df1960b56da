import { setImmediate } from "node:timers/promises";

/** Resolves in the next turn of the event loop, after the timers and sockets that are ready. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate();
}
