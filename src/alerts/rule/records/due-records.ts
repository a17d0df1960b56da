import type { KeyState } from "../state.ts";
import type { KeyRecord } from "./stored-keys.ts";

/** A queue up to this long is not shortened. */
const SHORT = 1_000;

/** The records in memory by the time at which there is something to do for them. */
export class DueRecords {
  readonly #records: ReadonlyMap<string, KeyRecord>;
  readonly #dueAt: (state: KeyState) => number | undefined;
  #queue = new DueQueue();

  constructor(records: ReadonlyMap<string, KeyRecord>, dueAt: (state: KeyState) => number | undefined) {
    this.#records = records;
    this.#dueAt = dueAt;
  }

  /** Puts a record into the queue, unless it is in it for an earlier time. */
  add(record: KeyRecord): void {
    const due = record.value && this.#dueAt(record.value);
    if (due === undefined || due >= (record.queuedAt ?? Number.POSITIVE_INFINITY)) return;
    record.queuedAt = due;
    this.#queue.add(due, record.key);
  }

  get nextAt(): number | undefined {
    while (true) {
      const first = this.#queue.first;
      if (first === undefined) return undefined;
      const record = this.#records.get(first.key);
      const isCurrent = record !== undefined && record.queuedAt === first.at;
      const due = isCurrent && record.value ? this.#dueAt(record.value) : undefined;
      if (due !== undefined && due <= first.at) return first.at;
      this.#queue.take();
      if (!isCurrent) continue;
      record.queuedAt = undefined;
      this.add(record);
    }
  }

  /** Takes those that are due by a time from the queue, up to a number. */
  take(at: number, most: number): KeyRecord[] {
    const taken: KeyRecord[] = [];
    while (taken.length < most) {
      const next = this.nextAt;
      const record = this.#records.get(this.#queue.first?.key ?? "");
      if (next === undefined || next > at || record === undefined) break;
      this.#queue.take();
      record.queuedAt = undefined;
      taken.push(record);
    }
    return taken;
  }

  /** Keys that are not in memory any more are in the queue until they would be due: takes them away once they are many. */
  shorten(): void {
    if (this.#queue.size < 2 * this.#records.size + SHORT) return;
    this.#queue = new DueQueue();
    for (const record of this.#records.values()) {
      record.queuedAt = undefined;
      this.add(record);
    }
  }
}

/** Keys by the time at which there is something to do for them. A key may be in it more than once. */
class DueQueue {
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
