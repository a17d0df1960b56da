/** A size that turned out to be too much is tried again after so many pages at most. */
const LONGEST_PATIENCE = 64;

/** How many items to ask for at once: half as many after an answer that was too large or too slow, then more again. */
export class PageSize {
  readonly #max: number;
  #limit: number;
  /** So many pages have to come before more is asked for. */
  #patience = 1;
  #came = 0;
  #isTrial = false;

  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  get limit(): number {
    return this.#limit;
  }

  /** An answer to so many was too much. Whether less can be asked for. */
  failed(asked = this.#limit): boolean {
    if (this.#isTrial) this.#patience = Math.min(LONGEST_PATIENCE, 4 * this.#patience);
    this.#isTrial = false;
    this.#came = 0;
    this.#limit = Math.max(1, Math.floor(asked / 2));
    return asked > 1;
  }

  succeeded(): void {
    this.#isTrial = false;
    if (this.#limit === this.#max) {
      this.#patience = 1;
      return;
    }
    this.#came += 1;
    if (this.#came < this.#patience) return;
    this.#came = 0;
    this.#limit = Math.min(this.#max, 2 * this.#limit);
    this.#isTrial = true;
  }
}
