/** Keys by the time at which there is something to do for them. A key may be in it more than once. */
export class DueQueue {
  /** A heap: an item is never later than those below it. */
  readonly #items: Array<{ at: number; key: string }> = [];

  /** The earliest; undefined where it is empty. */
  get first(): { at: number; key: string } | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  add(at: number, key: string): void {
    const items = this.#items;
    let index = items.length;
    items.push({ at, key });
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#at(above) <= at) break;
      this.#swap(index, above);
      index = above;
    }
  }

  /** Takes the earliest away. */
  take(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    let index = 0;
    while (true) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const smaller = this.#at(right) < this.#at(left) ? right : left;
      if (this.#at(smaller) >= last.at) return;
      this.#swap(index, smaller);
      index = smaller;
    }
  }

  #at(index: number): number {
    return this.#items[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(first: number, second: number): void {
    const [one, other] = [this.#items[first], this.#items[second]];
    if (one === undefined || other === undefined) return;
    this.#items[first] = other;
    this.#items[second] = one;
  }
}
