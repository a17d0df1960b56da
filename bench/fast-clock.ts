import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../src/timing/index.ts";

type Sleeper = { until: number; wake: () => void };

/** Hours in seconds: when all that is waited for is the clock, it jumps to the next one to wake. */
export class FastClock implements Clock {
  #now = Date.now();
  #sleepers: Sleeper[] = [];
  /** Whether something else is under way. */
  readonly #isBusy: () => boolean;

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      signal.removeEventListener("abort", wake);
      this.#sleepers = this.#sleepers.filter((other) => other.wake !== wake);
      resolve();
    };
    this.#sleepers.push({ until: this.#now + ms, wake });
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake);
    return promise;
  }

  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) {
      await sleep(1);
      if (this.#isBusy()) continue;
      const next = this.#sleepers.toSorted((a, b) => a.until - b.until)[0];
      this.#now = Math.max(this.#now, Math.min(end, next?.until ?? end));
      if (next && next.until <= this.#now) next.wake();
    }
  }
}
