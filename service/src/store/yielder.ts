/** How long one piece of work may take before other work runs. */
const SLICE_MS = 5;

/**
 * Splits long reading into slices. All readers together have one slice in each turn of the event loop. A reader that
 * has used it up continues in a later turn, in the order of waiting. So many searches block the process no longer than
 * one does.
 */
export class Yielder {
  readonly #sliceMs: number;
  readonly #waiting: Array<() => void> = [];
  #startedAt: number | undefined;

  /** `sliceMs` is for tests: with 0 each call of `shouldYield` ends the slice. */
  constructor(sliceMs = SLICE_MS) {
    this.#sliceMs = sliceMs;
  }

  /** Whether the slice of this turn is used up: then `await yield()`. */
  shouldYield(): boolean {
    if (this.#startedAt === undefined) {
      this.#startedAt = performance.now();
      setImmediate(() => this.#startSlice());
    }
    return performance.now() - this.#startedAt >= this.#sliceMs;
  }

  /** Resolves in a later turn of the event loop. */
  yield(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next slice belongs to the reader that has waited longest. */
  #startSlice(): void {
    this.#startedAt = undefined;
    const resume = this.#waiting.shift();
    if (resume === undefined) return;
    this.shouldYield();
    resume();
  }
}
