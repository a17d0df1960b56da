import type { AlertStore } from "../types.ts";
import { CachedRecord } from "./cached-record.ts";
import { DueQueue } from "./due-queue.ts";
import { isRecordKey } from "./ids.ts";
import type { Report } from "./reports.ts";
import { isKeyState, type KeyState } from "./state.ts";

export type KeyRecord = CachedRecord<KeyState>;

/** Records that are read at a time. */
const AT_ONCE = 64;

/** The records of the keys of a rule, up to a number: the least recently used key comes first. */
export class KeyRecords {
  readonly #store: AlertStore;
  readonly #maxKeys: number;
  readonly #report: (kind: Report) => void;
  readonly #dueAt: (state: KeyState) => number | undefined;
  readonly #records = new Map<string, KeyRecord>();
  readonly #queue = new DueQueue();
  #reread = this.#records.values();

  constructor(options: {
    store: AlertStore;
    maxKeys: number;
    report: (kind: Report) => void;
    dueAt: (state: KeyState) => number | undefined;
  }) {
    this.#store = options.store;
    this.#maxKeys = options.maxKeys;
    this.#report = options.report;
    this.#dueAt = options.dueAt;
  }

  /** Reads the records that it does not have yet. */
  async load(): Promise<void> {
    const stored = (await this.#store.keys()).filter((key) => isRecordKey(key) && !this.#records.has(key));
    const room = Math.max(0, this.#maxKeys - this.#records.size);
    const records = stored.slice(0, room).map((key) => this.#created(key));
    await inGroups(records, (record) => record.read());
    const oldestFirst = records.toSorted((one, other) => newestOf(one) - newestOf(other));
    for (const record of oldestFirst) {
      if (record.value === undefined || this.#records.has(record.key)) continue;
      this.#records.set(record.key, record);
      this.scheduled(record);
    }
  }

  /** Reads some again, in turn: another copy may have written to them. */
  async reread(count: number, now: number): Promise<void> {
    const records: KeyRecord[] = [];
    while (records.length < count) {
      const { value, done } = this.#reread.next();
      if (done) {
        this.#reread = this.#records.values();
        break;
      }
      records.push(value);
    }
    await inGroups(records, async (record) => {
      await record.read();
      if (!isForgettable(record.value)) await record.keep(now);
    });
    for (const record of records) this.settle(record);
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  /** Undefined if the limit of keys is reached and no key can be forgotten. Call `settle` with the record afterwards. */
  async use(key: string): Promise<KeyRecord | undefined> {
    const known = this.#records.get(key);
    if (known !== undefined) {
      this.#records.delete(key);
      this.#records.set(key, known);
      return known;
    }
    while (this.#records.size >= this.#maxKeys) {
      const unused = this.#leastRecentlyUsed();
      if (unused === undefined) {
        this.#report("refused");
        return undefined;
      }
      this.#records.delete(unused.key);
      this.#report("forgotten");
      const { state } = await unused.change((state) => ({ state: isForgettable(state) ? undefined : state }));
      // Another copy has raised an alert for it in the meantime.
      if (state !== undefined) this.settle(unused);
    }
    const other = this.#records.get(key);
    if (other !== undefined) return other;
    const created = this.#created(key);
    this.#records.set(key, created);
    return created;
  }

  /** After a change: a record without a value is not kept. */
  settle(record: KeyRecord): void {
    if (record.isBusy) return;
    if (record.value === undefined) {
      if (this.#records.get(record.key) === record) this.#records.delete(record.key);
      return;
    }
    if (!this.#records.has(record.key)) this.#records.set(record.key, record);
    this.scheduled(record);
  }

  /** Puts a record into the queue, unless it is in it for an earlier time. */
  scheduled(record: KeyRecord): void {
    const due = record.value && this.#dueAt(record.value);
    if (due === undefined || due >= (record.queuedAt ?? Number.POSITIVE_INFINITY)) return;
    record.queuedAt = due;
    this.#queue.add(due, record.key);
  }

  get nextDueAt(): number | undefined {
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
      this.scheduled(record);
    }
  }

  /** Takes those that are due by a time from the queue. */
  takeDue(at: number): KeyRecord[] {
    const taken: KeyRecord[] = [];
    while (taken.length < AT_ONCE) {
      const next = this.nextDueAt;
      const record = this.#records.get(this.#queue.first?.key ?? "");
      if (next === undefined || next > at || record === undefined) break;
      this.#queue.take();
      record.queuedAt = undefined;
      taken.push(record);
    }
    return taken;
  }

  all(): KeyRecord[] {
    return [...this.#records.values()];
  }

  #created(key: string): KeyRecord {
    return new CachedRecord(this.#store, key, (value) => {
      if (isKeyState(value)) return value;
      this.#report("unreadable");
      return undefined;
    });
  }

  #leastRecentlyUsed(): KeyRecord | undefined {
    for (const record of this.#records.values()) {
      if (!record.isBusy && isForgettable(record.value)) return record;
    }
    return undefined;
  }
}

function isForgettable(state: KeyState | undefined): boolean {
  return state?.active === undefined && (state?.pending?.length ?? 0) === 0;
}

function newestOf(record: KeyRecord): number {
  return record.value?.newest ?? 0;
}

async function inGroups<Item>(items: Item[], run: (item: Item) => Promise<void>): Promise<void> {
  for (let index = 0; index < items.length; index += AT_ONCE) {
    await Promise.all(items.slice(index, index + AT_ONCE).map(run));
  }
}
