import { RETRIES } from "../retry/policies.ts";
import { Again, retry } from "../retry/retry.ts";
import { sleep } from "../timing/index.ts";
import type { Countdown } from "./bounded.ts";
import { HttpError, TimeoutError } from "./errors.ts";

type RetryLimits = {
  maxAttempts: number;
  /** What is left of the time for the whole call. */
  countdown: Pick<Countdown, "leftMs">;
  signal: AbortSignal;
  budget: RetryBudget;
};

/**
 * Retries a call that failed with a retryable error, within the limits. `attempt` counts from 1.
 * When the next wait would pass the deadline it fails immediately with the last error: that says more than a time-out.
 */
export function retryCall<T>(limits: RetryLimits, work: (attempt: number) => Promise<T>): Promise<T> {
  const { maxAttempts, countdown, signal, budget } = limits;
  const pause = async (delay: number, error: unknown): Promise<void> => {
    if (delay >= countdown.leftMs || !budget.spend(error)) throw error;
    await sleep(delay, signal);
    // A busy process is late for both timers: the one of the deadline then fires next, before anything is sent.
    if (countdown.leftMs <= 0) await sleep(0, signal);
    if (signal.aborted) throw error;
  };
  return retry(pause, async (attempt) => {
    try {
      const result = await work(attempt);
      budget.refill();
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof HttpError && error.retryable)
        return new Again(error, { ...RETRIES.request, limit: maxAttempts - 1 });
      budget.refill();
      throw error;
    }
  });
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds to wait as `Retry-After` asks, in seconds or as an HTTP date, at most a day. Anything else is ignored. `date`
 * is that of the same answer: who wrote both has a clock of its own.
 */
export function retryAfterMs(header: string | undefined, date?: string): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(RETRIES.request.maxRetryAfter, Number(text) * 1000);
  const asked = timeOf(text) - (timeOf(date) || Date.now());
  return Number.isNaN(asked) ? undefined : Math.min(RETRIES.request.maxRetryAfter, Math.max(0, asked));
}

/** Unix milliseconds; NaN for anything but an HTTP date. */
function timeOf(date: string | undefined): number {
  const text = date?.trim() ?? "";
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const CAPACITY = 100;
const RETRY_COST = 5;
/** A time-out costs the service, and the caller, more than a quick failure. */
const RETRY_COST_AFTER_TIMEOUT = 10;
const ANSWER_REFILL = 1;

/**
 * Limits the retries of all calls of one client together. While a service is down, it keeps a client from multiplying
 * its load by the number of attempts: when the budget is spent, calls fail at their first failure.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Takes a retry after this failure from the budget. False when the budget does not cover it. */
  spend(failure: unknown): boolean {
    const cost = failure instanceof TimeoutError ? RETRY_COST_AFTER_TIMEOUT : RETRY_COST;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Any answer of the service, even an error that cannot be retried, shows that it works. */
  refill(): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + ANSWER_REFILL);
  }
}
