import { TimeoutError } from "./errors.ts";

const CAPACITY = 100;
const REPEAT_COSTS = 5;
/** A time-out has cost the service more than a refusal, and us as well. */
const REPEAT_AFTER_TIMEOUT_COSTS = 10;
const SUCCESS_BRINGS = 1;

/**
 * What all calls of one client together may spend on repeats. While a service is down for everybody, it keeps a
 * client from multiplying its load by the number of attempts: once it is spent, calls fail at their first failure.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Whether a repeat after this failure is within the budget; if so, it is paid. */
  spend(failure: unknown): boolean {
    const cost = failure instanceof TimeoutError ? REPEAT_AFTER_TIMEOUT_COSTS : REPEAT_COSTS;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** An answer of the service, even a refusal, shows that it works. */
  refill(): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + SUCCESS_BRINGS);
  }
}
