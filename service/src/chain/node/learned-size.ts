/** Sizes that fit before one is tried again that was refused; and how often at most, after it was refused again. */
const FITS_BEFORE_RETRY = { first: 8, most: 512 };
/** A refusal that does not speak of size, so often in a row: a smaller size is worth a try. */
const UNEXPLAINED = 3;

/**
 * How much a node gives at once, learned from what it refuses. Halves after a refusal, doubles while sizes fit, and
 * tries one that was refused ever more rarely.
 */
export class LearnedSize {
  readonly most: number;
  #size: number;
  /** The smallest size that was refused and has not fitted since. */
  #refused = Number.POSITIVE_INFINITY;
  #fits = 0;
  #fitsBeforeRetry = FITS_BEFORE_RETRY.first;
  #unexplained = 0;

  constructor(most: number) {
    this.most = most;
    this.#size = most;
  }

  /** To be asked for next. */
  get size(): number {
    return this.#size;
  }

  fitted(size: number): void {
    // What is shorter for another reason says nothing of the limit.
    if (size < this.#size) return;
    this.#unexplained = 0;
    if (size >= this.#refused) this.#refused = Number.POSITIVE_INFINITY;
    this.#fits += 1;
    const next = Math.min(2 * this.#size, this.most);
    if (next >= this.#refused && this.#fits < this.#fitsBeforeRetry) return;
    this.#size = next;
    this.#fits = 0;
  }

  /** The node gives less at once. A size of 1 stays. */
  refused(size: number): void {
    this.#unexplained = 0;
    if (size >= this.#refused) {
      this.#fitsBeforeRetry = Math.min(2 * this.#fitsBeforeRetry, FITS_BEFORE_RETRY.most);
    }
    this.#refused = Math.min(this.#refused, size);
    this.#size = Math.max(1, Math.min(this.#size, Math.floor(size / 2)));
    this.#fits = 0;
  }

  /** The next is no larger than this, for a reason that is not the node's. */
  keepTo(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, size));
    this.#fits = 0;
  }

  /** Notes a refusal that does not speak of size. True when it came so often in a row that it may mean the size. */
  isSuspect(): boolean {
    this.#unexplained += 1;
    return this.#unexplained >= UNEXPLAINED;
  }
}
