import type { AlertStore } from "../types.ts";
import { CachedRecord } from "./cached-record.ts";
import { DueQueue } from "./due-queue.ts";
import { isRecordKey, recordKeyOf } from "./ids.ts";
import { unpacked } from "./packed-state.ts";
import type { Report } from "./reports.ts";
import { isKeyState, type KeyState } from "./state.ts";
import { StoredKeys } from "./stored-keys.ts";

export type KeyRecord = CachedRecord<KeyState>;

export type KeyRecordsOptions = {
  store: AlertStore;
  /** The limit of records in memory. */
  maxKeys: number;
  /**
   * Whether the least recently used key is left to the store when the limit is reached. Else a new key is refused: what
   * time leads to is noticed only of keys in memory.
   */
  leavesToStore: boolean;
  /** Whether a record may have outcomes that are not acknowledged. */
  keepsPending: boolean;
  /** See `StoredKeysOptions`. */
  mostStored?: number | undefined;
  report: (kind: Report) => void;
  dueAt: (state: KeyState) => number | undefined;
  overAt: (state: KeyState) => number | undefined;
};

/** Records that are read at a time. */
const AT_ONCE = 64;
/** The only key of a rule without keys. */
const ALL_TOGETHER = recordKeyOf("");
/** A queue up to this long is not shortened. */
const QUEUE = 1_000;

/** The records of the keys of a rule: the least recently used key comes first. */
export class KeyRecords {
  readonly #options: KeyRecordsOptions;
  readonly #store: AlertStore;
  readonly #records = new Map<string, KeyRecord>();
  readonly #stored: StoredKeys;
  #queue = new DueQueue();
  /** Undefined where it starts again: an iterator that waits keeps all that was in its map since. */
  #reread: Iterator<KeyRecord> | undefined;
  #refused = 0;
  #forgotten = 0;

  constructor(options: KeyRecordsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#stored = new StoredKeys({
      store: options.store,
      most: options.mostStored,
      overAt: options.overAt,
      recordOf: (key) => this.#created(key),
      onForgotten: (count) => {
        this.#forgotten += count;
        options.report("forgotten");
      },
    });
  }

  /** How often a new key was refused. */
  get refused(): number {
    return this.#refused;
  }

  /** How many keys were forgotten before they were over. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Reads the records that it does not have yet: all of them, or as many as there is room for. */
  async load(): Promise<void> {
    const { leavesToStore, maxKeys } = this.#options;
    if (leavesToStore && this.#isFull) return;
    const stored = (await this.#store.keys()).filter((key) => isRecordKey(key) && !this.has(key));
    const room = leavesToStore ? maxKeys - this.#records.size : stored.length;
    const beyond = Math.max(0, stored.length - room);
    await this.#lookBeyond(stored.slice(0, beyond));
    const records = stored.slice(beyond).map((key) => this.#created(key));
    await inGroups(records, (record) => record.read());
    const oldestFirst = records.toSorted((one, other) => newestOf(one) - newestOf(other));
    for (const record of oldestFirst) this.#add(record);
  }

  /** Reads some again, in turn: another copy may have written to them. */
  async reread(count: number, now: number): Promise<void> {
    const records: KeyRecord[] = [];
    this.#reread ??= this.#records.values();
    while (records.length < count) {
      const { value, done } = this.#reread.next();
      if (done) {
        this.#reread = undefined;
        break;
      }
      records.push(value);
    }
    await inGroups(records, async (record) => {
      await record.read();
      if (isAwaited(record.value)) await record.keep(now);
    });
    for (const record of records) this.settle(record);
  }

  /** Whether it has the key, in memory or in its store. Of a shared store, only the keys in memory are known. */
  has(key: string): boolean {
    return this.#records.has(key) || this.#stored.has(key);
  }

  /** The record of a key that may have one; undefined where it has none. Call `settle` with the record afterwards. */
  async find(key: string): Promise<KeyRecord | undefined> {
    return this.has(key) || (this.#options.leavesToStore && this.#store.isShared) ? this.use(key) : undefined;
  }

  /** Undefined if the limit of keys is reached, and the key is new. Call `settle` with the record afterwards. */
  async use(key: string): Promise<KeyRecord | undefined> {
    const known = this.#records.get(key);
    if (known !== undefined) {
      this.#records.delete(key);
      this.#records.set(key, known);
      return known;
    }
    const created = this.#created(key);
    if (this.#options.leavesToStore) {
      await this.#makeRoom();
      await this.#stored.noteNew();
      if (this.#stored.has(key)) await created.read();
    } else if (this.#isFull && key !== ALL_TOGETHER) {
      // Another copy may count for it.
      if (this.#store.isShared) await created.read();
      if (created.value === undefined) {
        this.#refused += 1;
        this.#options.report("refused");
        return undefined;
      }
    }
    const other = this.#records.get(key);
    if (other !== undefined) return other;
    this.#stored.delete(key);
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
    this.#add(record);
  }

  /** Removes keys beyond those in memory that are over by an event time: see `StoredKeys`. */
  async expire(at: number, first: () => Promise<void>): Promise<void> {
    await this.#stored.expire(at, first);
  }

  /** Puts a record into the queue, unless it is in it for an earlier time. */
  scheduled(record: KeyRecord): void {
    const due = record.value && this.#options.dueAt(record.value);
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
      const due = isCurrent && record.value ? this.#options.dueAt(record.value) : undefined;
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

  get #isFull(): boolean {
    return this.#records.size >= this.#options.maxKeys;
  }

  #created(key: string): KeyRecord {
    return new CachedRecord(this.#store, key, (value) => {
      const state = typeof value === "string" ? unpacked(key, value) : value;
      if (isKeyState(state)) return state;
      this.#options.report("unreadable");
      return undefined;
    });
  }

  #add(record: KeyRecord): void {
    if (record.value === undefined) return;
    this.#stored.delete(record.key);
    if (!this.#records.has(record.key)) this.#records.set(record.key, record);
    this.scheduled(record);
  }

  /** What is not acknowledged has to be in memory. Of a store of one's own, the others are left to it. */
  async #lookBeyond(keys: readonly string[]): Promise<void> {
    if (this.#store.isShared && !this.#options.keepsPending) return;
    await inGroups(keys, async (key) => {
      if (await this.#stored.isPacked(key)) return;
      const record = this.#created(key);
      await record.read();
      if (hasPending(record.value)) this.#add(record);
      else await this.#stored.add(record);
    });
  }

  /** Where each record is in use, or has something to be acknowledged, there are more than allowed for now. */
  async #makeRoom(): Promise<void> {
    while (this.#isFull) {
      const unused = this.#leastRecentlyUsed();
      if (unused === undefined) return;
      this.#records.delete(unused.key);
      this.#shortenQueue();
      await this.#stored.add(unused);
    }
  }

  #leastRecentlyUsed(): KeyRecord | undefined {
    for (const record of this.#records.values()) {
      if (!record.isBusy && record.value !== undefined && !hasPending(record.value)) return record;
    }
    return undefined;
  }

  /** Keys that were left to the store are in the queue until they would be due. */
  #shortenQueue(): void {
    if (this.#queue.size < 2 * this.#records.size + QUEUE) return;
    this.#queue = new DueQueue();
    for (const record of this.#records.values()) {
      record.queuedAt = undefined;
      this.scheduled(record);
    }
  }
}

/** Whether something is awaited that may take longer than a shared store keeps it. */
function isAwaited(state: KeyState | undefined): boolean {
  return state?.active !== undefined || hasPending(state);
}

function hasPending(state: KeyState | undefined): boolean {
  return (state?.pending?.length ?? 0) > 0;
}

function newestOf(record: KeyRecord): number {
  return record.value?.newest ?? 0;
}

async function inGroups<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  for (let index = 0; index < items.length; index += AT_ONCE) {
    await Promise.all(items.slice(index, index + AT_ONCE).map(run));
  }
}
