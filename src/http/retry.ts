import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "./errors.ts";
import type { RetryBudget } from "./retry-budget.ts";

export type RetryLimits = {
  maxAttempts: number;
  /** When the whole call must be over, on the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
  budget: RetryBudget;
};

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;
/** A service that asks for more than a day means "not today". */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/**
 * Repeats work that failed with a retryable error, within the limits. `attempt` counts from 1.
 * When the next wait would pass the deadline it gives up at once with the last error: that says more than a time-out.
 */
export async function retry<T>(limits: RetryLimits, work: (attempt: number) => Promise<T>): Promise<T> {
  const { maxAttempts, deadline, signal, budget } = limits;
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await work(attempt);
      budget.refill();
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      const isRetryable = error instanceof HttpError && error.retryable;
      if (!isRetryable) {
        budget.refill();
        throw error;
      }
      if (attempt >= maxAttempts) throw error;
      // Exactly what the service asks for: jitter would come too early or too late.
      const delay = error.retryAfterMs ?? backoffMs(attempt);
      if (performance.now() + delay >= deadline || !budget.spend(error)) throw error;
      await sleep(delay, undefined, { signal });
    }
  }
}

/** Full jitter: anything between nothing and a bound that doubles with each attempt (1, 2, …). */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds to wait as `Retry-After` asks, in seconds or as an HTTP date, at most a day. Anything else is ignored.
 */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : date - now;
  return Number.isNaN(asked) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, asked));
}
