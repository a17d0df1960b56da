import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "./errors.ts";

export type RetryBudget = {
  maxAttempts: number;
  /** When the whole call must be over, on the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
};

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

/**
 * Repeats work that failed with a retryable error, within the budget.
 * When the next wait would pass the deadline it gives up at once with the last error: that says more than a time-out.
 */
export async function retry<T>(budget: RetryBudget, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (budget.signal.aborted || attempt >= budget.maxAttempts) throw error;
      if (!(error instanceof HttpError && error.retryable)) throw error;
      const delay = error.retryAfterMs ?? backoffMs(attempt);
      if (performance.now() + delay >= budget.deadline) throw error;
      await sleep(delay, undefined, { signal: budget.signal });
    }
  }
}

/** Full jitter: anything between nothing and a bound that doubles with each attempt (1, 2, …). */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds to wait as `Retry-After` asks, in seconds or as an HTTP date. Anything else is ignored. */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
