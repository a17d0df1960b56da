/** What a tester asked for, in the order of asking. Each item leaves the list after it was taken `times` times. */
export class CountedList<T extends { times: number }> {
  #items: T[] = [];

  add(item: T): void {
    this.#items.push({ ...item });
  }

  /** The items that are left, with the times that are left. */
  list(): T[] {
    return this.#items;
  }

  clear(): void {
    this.#items = [];
  }

  /** The first item that matches, counted once; undefined when none does. */
  takeFirst(matches: (item: T) => boolean): T | undefined {
    const item = this.#items.find(matches);
    if (item === undefined) return undefined;
    item.times -= 1;
    if (item.times <= 0) this.#items = this.#items.filter((other) => other !== item);
    return item;
  }
}
