import { DueQueue } from "./due-queue.ts";
import type { KeyState } from "./state.ts";
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
