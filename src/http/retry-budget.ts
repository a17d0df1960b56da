import { TimeoutError } from "./errors.ts";

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
