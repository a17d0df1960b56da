/** Sizes that fit before one is tried again that was refused; and how often at most, after it was refused again. */
const FITS_BEFORE_RETRY = { first: 8, most: 512 };
/** A refusal that does not speak of size, so often in a row: a smaller size is worth a try. */
const UNEXPLAINED = 3;

/**
 * How much a node gives at once, learned from what it refuses. Halves after a refusal, doubles while sizes fit, and
 * tries one that was refused ever more rarely.
 */
export class LearnedSize {
  readonly #most: number;
  #size: number;
  /** The largest that fitted since something was refused. */
  #fitted = 0;
  /** The smallest size that was refused and has not been tried again. */
  #refused = Number.POSITIVE_INFINITY;
  #isRetry = false;
  #fits = 0;
  #fitsBeforeRetry = FITS_BEFORE_RETRY.first;
  /** Refusals in a row that did not speak of size, and the smallest size that met one. */
  #unexplained = 0;
  #suspected = Number.POSITIVE_INFINITY;
  /** Whether such a refusal turned out to mean the size. */
  #meantSize = false;

  constructor(most: number) {
    this.#most = most;
    this.#size = most;
  }

  /** To be asked for next. */
  get size(): number {
    return this.#size;
  }

  fitted(size: number): void {
    this.#fitted = Math.max(this.#fitted, size);
    if (size >= this.#suspected) {
      this.#unexplained = 0;
      this.#suspected = Number.POSITIVE_INFINITY;
    }
    // What is shorter for another reason says nothing of the limit.
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

  /** The node gives less at once. A size of 1 stays. */
  refused(size: number): void {
    // Of several that are under way at once, one tells it.
    if (this.#isRetry && size >= this.#size) {
      this.#fitsBeforeRetry = Math.min(2 * this.#fitsBeforeRetry, FITS_BEFORE_RETRY.most);
      this.#isRetry = false;
    }
    this.#refused = Math.min(this.#refused, size);
    this.#fitted = Math.min(this.#fitted, size - 1);
    this.keepTo(Math.floor(size / 2));
  }

  /** The next is no larger than this, for a reason that is not the node's. */
  keepTo(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, size));
    this.#fits = 0;
  }

  /**
   * Notes a refusal that does not speak of size. True when it may mean the size all the same: it came several times
   * in a row, or meant the size before and nothing of this size has fitted since.
   */
  isSuspect(size: number): boolean {
    this.#unexplained += 1;
    this.#suspected = Math.min(this.#suspected, size);
    return this.#unexplained >= UNEXPLAINED || (this.#meantSize && size > this.#fitted);
  }
}
