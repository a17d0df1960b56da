const MOST_WEIGHT = 4;

/**
 * The polls of one channel, which take turns with those of other channels. A channel with news gets up to four times as
 * many turns as one without, and soon fewer again.
 */
export class Lane {
  #weight = 1;
  #end: number | undefined;

  /** How many turns it gets for each turn of a quiet channel. */
  get weight(): number {
    return this.#weight;
  }

  /** Notes the highest offset of a page; undefined when the page was empty. */
  noteEnd(end: number | undefined): void {
    const hasNews = this.#end !== undefined && (end ?? -1) > this.#end;
    this.#weight = hasNews ? Math.min(MOST_WEIGHT, this.#weight * 2) : Math.max(1, this.#weight / 2);
    this.#end = Math.max(this.#end ?? -1, end ?? -1);
  }
}
