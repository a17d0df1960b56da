import { processWide } from "../process-wide.ts";

type Listener = (msg: object) => void;

const listeners = processWide("waiting-messages", () => new Set<Listener>());

/** Called with each message that only waits from now on, for the service or a person, until its node completes it. */
export function onWaiting(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Lists a message as waiting in the node that was given it. */
export function noteWaiting(msg: object): void {
  for (const listener of listeners) listener(msg);
}
