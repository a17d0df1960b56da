import type { Random } from "../timing/index.ts";
import { type Jitter, retryAfterOf } from "./retry.ts";

/** How often to look for something new. All times in milliseconds. */
export type PollPolicy = {
  min: number;
  max: number;
  /** By this the pause grows while nothing is new. */
  growth: number;
  /** The pause is divided by this when something is new. @default it is `min` again */
  shrink?: number;
  /** @default none */
  jitter?: Jitter;
  /** Whether jitter stays between `min` and `max`. @default false */
  staysWithin?: boolean;
};

type Polling<T> = {
  policy: PollPolicy;
  /** Gets what is new; undefined where nothing is. */
  look: () => Promise<T | undefined>;
  /** Whether an error of `look` may pass. Any other ends the polling. @default no error may */
  isPassing?: (error: unknown) => boolean;
  /** Waits before the next look. What it throws ends the polling. */
  pause: (ms: number) => Promise<void>;
};

/** Looks until the caller stops iterating: returns what each look finds, where it finds something. */
export async function* poll<T>(polling: Polling<T>): AsyncGenerator<T, never, undefined> {
  const { policy, look, isPassing = () => false, pause } = polling;
  const gaps = new PollGaps(policy);
  for (let isFirst = true; ; isFirst = false) {
    let news: T | undefined;
    let retryAfterMs = 0;
    try {
      news = await look();
    } catch (error) {
      if (!isPassing(error)) throw error;
      retryAfterMs = retryAfterOf(error) ?? 0;
    }
    if (news !== undefined) yield news;
    const ms = Math.max(retryAfterMs, gaps.next({ hasNews: isFirst || news !== undefined }));
    if (ms > 0) await pause(ms);
  }
}

/** Looks until something is there. */
export async function pollFor<T>(polling: Polling<T>): Promise<T> {
  return (await poll(polling).next()).value;
}

/** The pauses between two looks: shorter when there was something new, longer when there was not. */
export class PollGaps {
  readonly #policy: PollPolicy;
  readonly #random: Random;
  #gap: number;

  constructor(policy: PollPolicy, random: Random = Math.random) {
    this.#policy = policy;
    this.#random = random;
    this.#gap = policy.min;
  }

  /** The next pause, in milliseconds. */
  next({ hasNews }: { hasNews: boolean }): number {
    const { min, max, growth, shrink, jitter = (ms) => ms, staysWithin = false } = this.#policy;
    const within = (ms: number) => Math.min(max, Math.max(min, ms));
    if (!hasNews) this.#gap = Math.min(max, this.#gap * growth);
    else this.#gap = shrink === undefined ? min : within(this.#gap / shrink);
    const ms = jitter(this.#gap, this.#random);
    return staysWithin ? within(ms) : ms;
  }
}
