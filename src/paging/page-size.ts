/** After at most this many pages, a larger size is tried again. */
const MAX_PAGES_BEFORE_TRIAL = 64;

/** How many items to request: half as many after an answer that was too large or too slow, then gradually more. */
export class PageSize {
  readonly #max: number;
  #limit: number;
  /** How many pages must fit before a larger size is tried. */
  #pagesBeforeTrial = 1;
  #pages = 0;
  #isTrial = false;

  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  get limit(): number {
    return this.#limit;
  }

  /** An answer with this many items was too large. Returns whether fewer can be requested. */
  failed(requested = this.#limit): boolean {
    if (this.#isTrial) this.#pagesBeforeTrial = Math.min(MAX_PAGES_BEFORE_TRIAL, 4 * this.#pagesBeforeTrial);
    this.#isTrial = false;
    this.#pages = 0;
    this.#limit = Math.max(1, Math.floor(requested / 2));
    return requested > 1;
  }

  /** An answer of the current size was fine. */
  succeeded(): void {
    this.#isTrial = false;
    if (this.#limit === this.#max) {
      this.#pagesBeforeTrial = 1;
      return;
    }
    this.#pages += 1;
    if (this.#pages < this.#pagesBeforeTrial) return;
    this.#pages = 0;
    this.#limit = Math.min(this.#max, 2 * this.#limit);
    this.#isTrial = true;
  }
}
