import { deferred } from "../deferred.ts";
import { type Clock, unlessAborted } from "./clock.ts";

type Turn = { over: Promise<void>; giveWay: () => Promise<void> };

/** So long others wait for an event that may end the process. Most that do, do it at once. */
const LONGEST_WAIT_MS = 10_000;

let present: Turn | undefined;

/**
 * Waits until no other consumer of this process tries a suspect: else a crash would be laid to both of their events.
 * One that takes long, such as one that waits for a person, gives way: `giveWay` has to take back that it is a
 * suspect. Gives the function that ends the turn. Throws `ABORTED`.
 */
export async function takeTurn(
  { clock, giveWay }: { clock: Clock; giveWay: () => Promise<void> },
  signal: AbortSignal,
): Promise<() => void> {
  while (present !== undefined) await outlast(present, clock, signal);
  const { promise, resolve } = deferred();
  const mine: Turn = { over: promise, giveWay: () => giveWay().finally(end) };
  const end = () => {
    if (present === mine) present = undefined;
    resolve();
  };
  present = mine;
  return end;
}

async function outlast(turn: Turn, clock: Clock, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  const aborted = AbortSignal.any([signal, waiting.signal]);
  try {
    await unlessAborted(Promise.race([turn.over, clock.sleep(LONGEST_WAIT_MS, aborted)]), signal);
    // What it cannot store, it tells itself.
    if (present === turn) await turn.giveWay().catch(() => {});
  } finally {
    waiting.abort();
  }
}
