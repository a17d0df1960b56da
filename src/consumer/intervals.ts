/** A number from 0 up to 1, as `Math.random` gives. */
export type Random = () => number;

/**
 * How long to wait between two looks at a channel: shorter when there was news, longer when there was not.
 * Always between `minMs` and `maxMs`, with jitter, so that many consumers do not fall into step.
 */
export class PollPace {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: Random;
  #currentMs: number;

  constructor({ minMs, maxMs, random }: { minMs: number; maxMs: number; random: Random }) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#random = random;
    this.#currentMs = minMs;
  }

  next({ news }: { news: boolean }): number {
    const wanted = news ? this.#currentMs / 4 : this.#currentMs * 1.25;
    this.#currentMs = this.#within(wanted);
    return this.#within(this.#currentMs * (0.9 + 0.2 * this.#random()));
  }

  #within(ms: number): number {
    return Math.min(this.#maxMs, Math.max(this.#minMs, ms));
  }
}

/** Classes of errors, each with its own back-off. */
export type ErrorClass = "error" | "refused" | "waiting";

const SCALES: Record<ErrorClass, { firstMs: number; growth: number; maxMs: number }> = {
  error: { firstMs: 1_000, growth: 2, maxMs: 60_000 },
  // A refused key is fixed by people: asking often changes nothing and looks like an attack.
  refused: { firstMs: 30_000, growth: 1.25, maxMs: 60_000 },
  // A channel that is not there yet is usually being created right now.
  waiting: { firstMs: 2_000, growth: 1.5, maxMs: 10_000 },
};

/** Nobody is served by waiting longer than this because of one header. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long to wait after a failure: each further one of the same kind waits longer, until a success. */
export class Backoff {
  readonly #random: Random;
  #errorClass: ErrorClass = "error";
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** `retryAfterMs`, where the service said it, is kept to and not jittered. */
  next(errorClass: ErrorClass, retryAfterMs?: number): number {
    if (errorClass !== this.#errorClass) this.#count = 0;
    this.#errorClass = errorClass;
    const { firstMs, growth, maxMs } = SCALES[errorClass];
    const fullMs = Math.min(maxMs, firstMs * growth ** this.#count);
    this.#count += 1;
    if (retryAfterMs !== undefined && retryAfterMs > 0) return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    return errorClass === "error" ? fullMs * (0.5 + 0.5 * this.#random()) : fullMs;
  }

  succeeded(): void {
    this.#count = 0;
  }
}
