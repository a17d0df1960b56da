import type { Random } from "../../timing/index.ts";

/**
 * How long to wait between two polls of a channel: shorter when there was something new, longer when there was not.
 * Always between `minMs` and `maxMs`, with jitter, so that many consumers do not poll at the same moments.
 */
export class PollInterval {
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

  /** The next wait, in milliseconds. */
  next({ hasNews }: { hasNews: boolean }): number {
    this.#currentMs = this.#within(hasNews ? this.#currentMs / 4 : this.#currentMs * 1.25);
    return this.#within(this.#currentMs * (0.9 + 0.2 * this.#random()));
  }

  #within(ms: number): number {
    return Math.min(this.#maxMs, Math.max(this.#minMs, ms));
  }
}
