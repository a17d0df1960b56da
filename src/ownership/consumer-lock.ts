import { CrecError } from "../errors.ts";
import { callable, text } from "../options/index.ts";
import { canonicalId } from "../protocol/index.ts";
import type { CursorIdentity } from "../storage/cursor/cursor-state.ts";

/** Of those that use one cursor in this process: the only one, the first of several, or one that has to wait. */
export type LockState = "alone" | "first" | "waiting";

type Holder = { state?: LockState; onState: (state: LockState) => void };

/** By key, in the order in which they came. */
const holders = new Map<string, Holder[]>();

/**
 * Takes the lock on a cursor within this process: two consumers would overwrite each other's cursor. The first has it
 * until it releases it; `onState` is called now and at each change, and must not throw. Returns the function that
 * releases it, which may be called in `onState`, too.
 * @example
 * const states: string[] = [];
 * const release = lockConsumer("cursors/alerts.json", (state) => states.push(state));
 * states; // → ["alone"]
 * release();
 */
export function lockConsumer(key: string, onState: (state: LockState) => void): () => void {
  text(key, "key");
  const holder: Holder = { onState: callable<Holder["onState"]>()(onState, "onState") };
  update(key, [...(holders.get(key) ?? []), holder]);
  return () =>
    update(
      key,
      (holders.get(key) ?? []).filter((other) => other !== holder),
    );
}

function update(key: string, now: Holder[]): void {
  if (now.length > 0) holders.set(key, now);
  else holders.delete(key);
  for (const [index, holder] of now.entries()) {
    // A holder before it has released the lock in `onState`: that call has reported the states that are true now.
    if (holders.get(key) !== now) return;
    const state = now.length === 1 ? "alone" : index === 0 ? "first" : "waiting";
    if (state === holder.state) continue;
    holder.state = state;
    holder.onState(state);
  }
}

/** The key of a consumer that is known by its identity. */
export function lockKeyOf({ service, channelId, consumer }: CursorIdentity): string {
  return JSON.stringify([service, canonicalId(channelId), consumer]);
}

/** The error of each consumer that shares its name, and so its cursor, with another one. */
export function consumerNameTaken(consumer: string): CrecError {
  return new CrecError(
    "CONSUMER_NAME_TAKEN",
    `Two consumers are called "${text(consumer, "consumer")}". Only the first of them reads: give each its own name, or remove one.`,
  );
}
