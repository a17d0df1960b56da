import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

/** What is not there yet. */
type Missing = undefined | null | false | 0 | "";

export type EventuallyOptions = {
  /** How long to wait at most; by default until 2 s before the time-out of the running test or hook. */
  withinMs?: number;
  /** The longest pause between two looks. Default: 25. */
  pauseMs?: number;
};

/** Time to report the error before Mocha ends the test with one that says less. */
const RESERVE_MS = 2_000;
/** Outside of a test, such as in a process that a test started. */
const WITHOUT_TEST_MS = 60_000;
const LONGEST_VALUE = 1_000;
/** How much longer than a look the pause after it is at least. */
const TIMES_LOOKING = 3;

/**
 * Waits until `look` gives something that is true, and returns it.
 *
 * @param what completes the sentence "Waited … s for …"
 * @throws with this sentence and the last value, when time is up; also with what `look` throws
 */
export function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  options?: EventuallyOptions,
): Promise<Exclude<T, Missing>>;
/** The same, until `accept` takes what `look` gives: the error then shows the last value. */
export function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  accept: (seen: T) => boolean,
  options?: EventuallyOptions,
): Promise<T>;
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  acceptOrOptions: ((seen: T) => boolean) | EventuallyOptions = {},
  optionsOfAccept: EventuallyOptions = {},
): Promise<T> {
  const hasAccept = typeof acceptOrOptions === "function";
  const accept = hasAccept ? acceptOrOptions : Boolean;
  const { withinMs, pauseMs = 25 } = hasAccept ? optionsOfAccept : acceptOrOptions;
  const begun = performance.now();
  const deadline = withinMs === undefined ? deadlineOfTest(begun) : begun + withinMs;
  for (let pause = 0; ; pause = Math.min(pauseMs, pause * 2 + 1)) {
    const asked = performance.now();
    const seen = await look();
    if (accept(seen)) return seen;
    const now = performance.now();
    if (now >= deadline) throw new Error(sentence(what, now - begun, seen));
    // Most of the time belongs to what is waited for, however long it takes to look.
    await sleep(Math.min(Math.max(pause, TIMES_LOOKING * (now - asked)), deadline - now));
  }
}

function sentence(what: string, ms: number, seen: unknown): string {
  const value = inspect(seen, { depth: 6, breakLength: 110 });
  const shown = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
  return `Waited ${(ms / 1000).toFixed(1)} s for ${what}. Last seen: ${shown}`;
}

/** The running test or hook, and when it began. */
let running: { runnable: Mocha.Runnable; since: number } | undefined;

/** Notes which test or hook runs. Called once, before any. Processes that tests start wait without Mocha. */
export function noteRunnables({ prototype }: typeof Mocha.Runnable): void {
  const { run } = prototype;
  prototype.run = function (this: Mocha.Runnable, done) {
    running = { runnable: this, since: performance.now() };
    return run.call(this, done);
  };
}

function deadlineOfTest(begun: number): number {
  if (running === undefined) return begun + WITHOUT_TEST_MS;
  const timeout = running.runnable.timeout();
  // A time-out of 0 is none: somebody debugs.
  if (timeout === 0) return Number.POSITIVE_INFINITY;
  // Half of a short time-out is left for what the test does before and after.
  return running.since + Math.max(timeout - RESERVE_MS, timeout / 2);
}
