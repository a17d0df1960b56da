/** A service may stop a client for so long by one answer, in milliseconds. Then one call asks it again. */
const LONGEST_HOLD_MS = 60_000;

const MINUTE_MS = 60_000;
/** What may be sent at once: the calls of five seconds, and no more than this. */
const BURSTS_PER_MINUTE = 12;
const LARGEST_BURST = 20;

/**
 * When the next request may be sent: a bucket of requests that fills evenly, and holds that the service asks for. In any
 * time, no more requests are sent than come in during that time, and one burst.
 */
export class CallBudget {
  /** Undefined: no limit. */
  readonly perMinute: number | undefined;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #heldUntil = Number.NEGATIVE_INFINITY;

  /** `now` is monotonic, in milliseconds. */
  constructor(perMinute: number | undefined, now: () => number) {
    this.perMinute = perMinute;
    this.#now = now;
    this.#tokens = this.burst;
    this.#filledAt = now();
  }

  /** How many requests may be sent at the same moment. */
  get burst(): number {
    if (this.perMinute === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(LARGEST_BURST, Math.max(1, Math.floor(this.perMinute / BURSTS_PER_MINUTE)));
  }

  /** How much longer the service accepts no requests, in milliseconds. */
  get heldMs(): number {
    return Math.max(0, this.#heldUntil - this.#now());
  }

  /** How long until a request may be sent, in milliseconds. */
  get waitMs(): number {
    this.#fill();
    const perMs = (this.perMinute ?? 0) / MINUTE_MS;
    const missing = this.perMinute === undefined ? 0 : Math.max(0, 1 - this.#tokens);
    return Math.max(this.heldMs, missing === 0 ? 0 : missing / perMs);
  }

  /** Takes one request from the budget. */
  spend(): void {
    this.#fill();
    this.#tokens -= 1;
  }

  /** The service accepts no requests for `ms` milliseconds. Longer than a minute is cut. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#now() + Math.min(ms, LONGEST_HOLD_MS));
  }

  #fill(): void {
    const now = this.#now();
    const filled = this.#tokens + ((now - this.#filledAt) * (this.perMinute ?? 0)) / MINUTE_MS;
    this.#tokens = Math.min(this.burst, filled);
    this.#filledAt = now;
  }
}
