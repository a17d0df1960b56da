import { unlessAborted } from "../../abort.ts";
import { deferred } from "../../deferred.ts";
import type { Clock } from "../../timing/index.ts";

type Holder = { released: Promise<void>; giveWay: () => Promise<void> };

/** How long other consumers wait for a suspect. Most events that end the process do so immediately. */
const MAX_WAIT_MS = 10_000;

let holder: Holder | undefined;

/**
 * Waits until no other consumer of this process handles a suspect: a crash would be counted for the events of both.
 * A suspect that takes long, such as one that waits for a person, gives way: `giveWay` must undo its count.
 * Returns the function that releases the lock. Throws `ABORTED`.
 */
export async function acquireIsolation(
  { clock, giveWay }: { clock: Clock; giveWay: () => Promise<void> },
  signal: AbortSignal,
): Promise<() => void> {
  while (holder !== undefined) await waitFor(holder, clock, signal);
  const { promise, resolve } = deferred();
  const mine: Holder = { released: promise, giveWay: () => giveWay().finally(release) };
  const release = () => {
    if (holder === mine) holder = undefined;
    resolve();
  };
  holder = mine;
  return release;
}

async function waitFor(other: Holder, clock: Clock, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  const aborted = AbortSignal.any([signal, waiting.signal]);
  try {
    await unlessAborted(Promise.race([other.released, clock.sleep(MAX_WAIT_MS, aborted)]), signal);
    // The other consumer reports itself what it cannot store.
    if (holder === other) await other.giveWay().catch(() => {});
  } finally {
    waiting.abort();
  }
}
