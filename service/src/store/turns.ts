/** How long one piece of work may take before others get their turn. */
const SLICE_MS = 5;

/**
 * Long reading in slices. In one turn of the event loop there is one slice for all readers together; who has used it
 * up goes on in a later turn, in the order of asking. So many searches at once hold up the process no longer than one.
 */
export class Turns {
  readonly #sliceMs: number;
  readonly #waiting: Array<() => void> = [];
  #startedAt: number | undefined;

  /** `sliceMs` is for tests: with 0 each look at the clock ends the slice. */
  constructor(sliceMs = SLICE_MS) {
    this.#sliceMs = sliceMs;
  }

  /** Whether this turn's slice is used up: then `await next()`. */
  isOver(): boolean {
    if (this.#startedAt === undefined) {
      this.#startedAt = performance.now();
      setImmediate(() => this.#begin());
    }
    return performance.now() - this.#startedAt >= this.#sliceMs;
  }

  /** Resolves in a later turn of the event loop. Call it when `isOver()` says so. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next turn belongs to the one who has waited longest. */
  #begin(): void {
    this.#startedAt = undefined;
    const go = this.#waiting.shift();
    if (go === undefined) return;
    this.isOver();
    go();
  }
}
