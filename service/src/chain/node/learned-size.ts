/** How many sizes must fit before a refused one is tried again: at first, and at most after more refusals. */
const FITS_BEFORE_RETRY = { first: 8, most: 512 };
/** After this many refusals in a row that do not mention the size, a smaller size is tried. */
const UNEXPLAINED = 3;

/**
 * The largest size that a node accepts, learned from its refusals. It halves after a refusal, doubles while sizes fit, and
 * tries refused sizes less and less often.
 */
export class LearnedSize {
  readonly #most: number;
  #size: number;
  /** The largest size that fitted since the last refusal. */
  #fitted = 0;
  /** The smallest size that was refused and has not been tried again. */
  #refused = Number.POSITIVE_INFINITY;
  #isRetry = false;
  #fits = 0;
  #fitsBeforeRetry = FITS_BEFORE_RETRY.first;
  /** Refusals in a row that did not mention the size, and the smallest refused size. */
  #unexplained = 0;
  #suspected = Number.POSITIVE_INFINITY;
  /** Whether such a refusal turned out to be about the size. */
  #meantSize = false;

  constructor(most: number) {
    this.#most = most;
    this.#size = most;
  }

  /** The size to request next. */
  get size(): number {
    return this.#size;
  }

  /** Whether that size was refused before. */
  get isRetry(): boolean {
    return this.#isRetry;
  }

  fitted(size: number): void {
    this.#fitted = Math.max(this.#fitted, size);
    if (size >= this.#suspected) {
      this.#unexplained = 0;
      this.#suspected = Number.POSITIVE_INFINITY;
    }
    // A request that is smaller for another reason says nothing about the limit.
    if (size < this.#size) return;
    if (this.#unexplained >= UNEXPLAINED) this.#meantSize = true;
    this.#unexplained = 0;
    this.#suspected = Number.POSITIVE_INFINITY;
    if (this.#isRetry) this.#fitsBeforeRetry = FITS_BEFORE_RETRY.first;
    this.#isRetry = false;
    this.#fits += 1;
    const next = Math.min(2 * this.#size, this.#most);
    if (next >= this.#refused) {
      if (this.#fits < this.#fitsBeforeRetry) return;
      this.#refused = Number.POSITIVE_INFINITY;
      this.#isRetry = true;
    }
    this.#size = next;
    this.#fits = 0;
  }

  /** The node refused this size as too large. A size of 1 stays. */
  refused(size: number): void {
    // Of several concurrent refusals, only one counts.
    if (this.#isRetry && size >= this.#size) {
      this.#fitsBeforeRetry = Math.min(2 * this.#fitsBeforeRetry, FITS_BEFORE_RETRY.most);
      this.#isRetry = false;
    }
    this.#refused = Math.min(this.#refused, size);
    this.#fitted = Math.min(this.#fitted, size - 1);
    this.keepTo(Math.floor(size / 2));
  }

  /** Limits the next size, for a reason that is not the node's. */
  keepTo(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, size));
    this.#fits = 0;
  }

  /**
   * Notes a refusal that does not mention the size. True when it may be about the size: it came several times in a row, or
   * it was about the size before and no such size has fitted since.
   */
  isSuspect(size: number): boolean {
    this.#unexplained += 1;
    this.#suspected = Math.min(this.#suspected, size);
    return this.#unexplained >= UNEXPLAINED || (this.#meantSize && size > this.#fitted);
  }
}
