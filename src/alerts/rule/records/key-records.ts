import type { AlertOutcome, AlertStore } from "../../types.ts";
import { openIn, rulesIn } from "../aside.ts";
import { isRecordKey, recordKeyOf } from "../ids.ts";
import { hasPending } from "../pending.ts";
import type { Report } from "../reports.ts";
import { EventBudget } from "../reports.ts";
import type { KeyState } from "../state.ts";
import { CachedRecord, namesOf, type RecordForm } from "./cached-record.ts";
import { DueRecords } from "./due-records.ts";
import { keyForm } from "./key-form.ts";
import { AT_ONCE, inGroups, type KeyRecord, StoredKeys } from "./stored-keys.ts";

type KeyRecordsOptions = {
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
  /** How many events are remembered, for tests. @default 1,000,000 */
  mostStored?: number | undefined;
  /** Whether something of it is told when its quiet time ends, which is noticed only of keys in memory. */
  isUntold: (state: KeyState) => boolean;
  report: (kind: Report) => void;
  dueAt: (state: KeyState) => number | undefined;
  overAt: (state: KeyState) => number | undefined;
  /** What remains of a key once all inputs up to an event time were given: the same state, less, or nothing. */
  remaining: (state: KeyState, at: number) => KeyState | undefined;
  /** The event time by which keys may be removed to make room; undefined where that is not known. */
  givenUpTo: () => number | undefined;
  /** Awaited before keys are removed that are over by an event time. */
  beforeRemoval: (at: number) => Promise<void>;
};

/** The only key of a rule without keys. */
const ALL_TOGETHER = recordKeyOf("");
/** So many keys of which something is to be told are passed over to find another one. */
const MOST_UNTOLD = 64;
/** In event time. */
const LOOK_AGAIN_MS = 1_000;

/** The records of the keys of a rule: the least recently used key comes first. */
export class KeyRecords {
  readonly #options: KeyRecordsOptions;
  readonly #store: AlertStore;
  readonly #form: RecordForm<KeyState>;
  readonly #records = new Map<string, KeyRecord>();
  readonly #stored: StoredKeys;
  readonly #due: DueRecords;
  /** Keys in a shared store of which only the past counts, as far as it is known here. */
  readonly #pasts = new Set<string>();
  #pastsInTurn: Iterator<string> | undefined;
  /** Up to when it was looked for keys that are over. */
  #lookedUpTo = Number.NEGATIVE_INFINITY;
  /** Undefined where it starts again: an iterator that waits keeps all that was in its map since. */
  #reread: Iterator<KeyRecord> | undefined;
  readonly #events: EventBudget;
  #refused = 0;
  #forgotten = 0;

  constructor(options: KeyRecordsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#form = keyForm(options.store, () => options.report("unreadable"));
    this.#due = new DueRecords(this.#records, options.dueAt);
    this.#events = new EventBudget({ most: options.mostStored, report: options.report });
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

  /** How many inputs of new keys were refused. */
  get refused(): number {
    return this.#refused;
  }

  /** How many keys were forgotten before they were over. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** How many events were forgotten although they may come again. */
  get forgottenEvents(): number {
    return this.#events.forgotten;
  }

  /** Reads the records that it does not have yet: all of them, or as many as there is room for. */
  async load(): Promise<void> {
    const { leavesToStore, maxKeys } = this.#options;
    if (leavesToStore && this.#isFull) return;
    const all = (await this.#store.keys()).filter(
      (key) => isRecordKey(key) && !this.has(key) && !this.#pasts.has(key),
    );
    const stored = leavesToStore || this.#store.isShared ? all : await this.#withoutPacked(all);
    const room = leavesToStore ? maxKeys - this.#records.size : stored.length;
    const beyond = Math.max(0, stored.length - room);
    await this.#lookBeyond(stored.slice(0, beyond));
    const records = stored.slice(beyond).map((key) => this.#created(key));
    await inGroups(records, (record) => record.read());
    const oldestFirst = records.toSorted((one, other) => newestOf(one) - newestOf(other));
    for (const record of oldestFirst) {
      this.#add(record);
      if (record.value?.isPast && !this.#store.isShared) await this.#stored.add(record);
    }
  }

  /** The segments that its records refer to. */
  async segments(): Promise<Set<string>> {
    const names = new Set<string>();
    const note = ({ value }: KeyRecord) => {
      for (const name of namesOf(this.#form, value)) names.add(name);
    };
    for (const record of this.#records.values()) note(record);
    await inGroups(this.#stored.keys(), async (key) => {
      const record = this.#created(key);
      await record.read();
      note(record);
    });
    return names;
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
    await this.#rereadPasts(count);
  }

  /** Another copy may count for some of them again. */
  async #rereadPasts(count: number): Promise<void> {
    this.#pastsInTurn ??= this.#pasts.values();
    for (let read = 0; read < count; read += 1) {
      const { value: key, done } = this.#pastsInTurn.next();
      if (done) {
        this.#pastsInTurn = undefined;
        return;
      }
      const record = this.#created(key);
      await record.read();
      if (!record.value?.isPast) this.#pasts.delete(key);
      this.#add(record);
    }
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
    } else if (this.#pasts.size > 0) {
      await this.#stored.noteNew((other) => !this.#records.has(other));
    }
    if (!this.#options.leavesToStore && this.#isFull && key !== ALL_TOGETHER) {
      // Another copy may count for it.
      if (this.#store.isShared || this.#stored.has(key)) await created.read();
      const isCounted = created.value !== undefined && !created.value.isPast;
      if (!isCounted && !(await this.#hasRoom())) return undefined;
    }
    const other = this.#records.get(key);
    if (other !== undefined) return other;
    this.#stored.delete(key);
    this.#pasts.delete(key);
    this.#records.set(key, created);
    return created;
  }

  /** Changes each key that there is, also those that only the store has. What that leads to is added to `outcomes`. */
  async changeAll(
    change: (state: KeyState) => { state: KeyState; outcomes: AlertOutcome[] },
    outcomes: AlertOutcome[],
  ): Promise<void> {
    const changed = async (record: KeyRecord) => {
      const nothing = { state: undefined, outcomes: [] };
      const result = await record.change((state) => (state === undefined ? nothing : change(state)));
      outcomes.push(...result.outcomes);
    };
    await inGroups(this.all(), async (record) => {
      await changed(record);
      this.settle(record);
    });
    await inGroups(await this.#keysOfStore(), async (key) => {
      const record = this.#created(key);
      await record.read();
      await changed(record);
      const isAdded = this.#store.isShared && !this.#options.leavesToStore;
      if (isAdded || hasPending(record.value) || this.#isUntold(record)) this.#add(record);
      else await this.#stored.add(record);
    });
  }

  /** The keys that are not in memory. */
  async #keysOfStore(): Promise<string[]> {
    if (!this.#store.isShared) return this.#stored.keys();
    return (await this.#store.keys()).filter((key) => isRecordKey(key) && !this.#records.has(key));
  }

  /** Counts an input of a new key for which there is no room. */
  refuse(): void {
    this.#refused += 1;
    this.#options.report("refused");
  }

  /** After a change: a record without a value is not kept. */
  settle(record: KeyRecord): void {
    if (record.isBusy) return;
    if (record.value === undefined) {
      if (this.#records.get(record.key) !== record) return;
      this.#records.delete(record.key);
      this.#events.note(record, false);
      return;
    }
    this.#add(record);
  }

  /** As `settle`. A key of which only the past counts is left to the store. */
  async settleIdle(record: KeyRecord): Promise<void> {
    this.settle(record);
    this.#events.note(record, this.#records.has(record.key));
    await this.#events.keep(this.#records);
    if (record.isBusy || !record.value?.isPast || this.#records.get(record.key) !== record) return;
    this.#records.delete(record.key);
    this.#due.shorten();
    if (this.#store.isShared) this.#pasts.add(record.key);
    else await this.#stored.add(record);
  }

  /** Removes keys beyond those in memory that are over by an event time: see `StoredKeys`. */
  async expire(at: number): Promise<void> {
    await this.#stored.expire(at, () => this.#options.beforeRemoval(at));
  }

  /** When there is next something to do for one of them. */
  get nextDueAt(): number | undefined {
    return this.#due.nextAt;
  }

  /** Some of those that are due by a time. Call `settle` with each afterwards. */
  takeDue(at: number): KeyRecord[] {
    return this.#due.take(at, AT_ONCE);
  }

  all(): KeyRecord[] {
    return [...this.#records.values()];
  }

  /** The newest event time of those in memory. */
  get newest(): number {
    return this.all().reduce((newest, record) => Math.max(newest, newestOf(record)), 0);
  }

  /** The rules that have something in the keys in memory. */
  get rules(): ReadonlySet<string> {
    return new Set(this.all().flatMap(({ value }) => rulesIn(value)));
  }

  inMemory(key: string): KeyRecord | undefined {
    return this.#records.get(key);
  }

  get #isFull(): boolean {
    return this.#records.size >= this.#options.maxKeys;
  }

  /** Whether there is room once the keys that are over are removed. */
  async #hasRoom(): Promise<boolean> {
    const at = this.#options.givenUpTo();
    if (at !== undefined) await this.removeOver(at);
    return !this.#isFull;
  }

  /** Removes the keys in memory that are over by an event time. */
  async removeOver(at: number): Promise<void> {
    const { remaining, beforeRemoval } = this.#options;
    if (at < this.#lookedUpTo + LOOK_AGAIN_MS) return;
    this.#lookedUpTo = at;
    const idle = this.all().filter(
      ({ isBusy, value }) => !isBusy && value !== undefined && remaining(value, at) !== value,
    );
    if (idle.length === 0) return;
    await beforeRemoval(at);
    await inGroups(idle, async (record) => {
      await record.change((state) => ({ state: state && remaining(state, at) }));
      await this.settleIdle(record);
    });
  }

  #created(key: string): KeyRecord {
    return new CachedRecord(this.#store, key, this.#form);
  }

  #add(record: KeyRecord): void {
    if (record.value === undefined) return;
    if (record.value.isPast && !this.#records.has(record.key)) {
      if (this.#store.isShared) this.#pasts.add(record.key);
      return;
    }
    this.#stored.delete(record.key);
    if (!this.#records.has(record.key)) {
      this.#records.set(record.key, record);
      this.#events.note(record, true);
    }
    this.#due.add(record);
  }

  /** What a rule for each event left to its store, before its settings were changed, may be a million keys. */
  async #withoutPacked(keys: readonly string[]): Promise<string[]> {
    const others: string[] = [];
    await inGroups(keys, async (key) => {
      if (!(await this.#stored.isPacked(key))) others.push(key);
    });
    return others;
  }

  /** What is not acknowledged has to be in memory. Of a store of one's own, the others are left to it. */
  async #lookBeyond(keys: readonly string[]): Promise<void> {
    if (this.#store.isShared && !this.#options.keepsPending) return;
    await inGroups(keys, async (key) => {
      if (await this.#stored.isPacked(key)) return;
      const record = this.#created(key);
      await record.read();
      if (hasPending(record.value) || this.#isUntold(record)) this.#add(record);
      else await this.#stored.add(record);
    });
  }

  /** Where each record is in use, or has something to be acknowledged, there are more than allowed for now. */
  async #makeRoom(): Promise<void> {
    while (this.#isFull) {
      const unused = this.#leastRecentlyUsed();
      if (unused === undefined) return;
      this.#records.delete(unused.key);
      this.#events.note(unused, false);
      this.#due.shorten();
      await this.#stored.add(unused);
    }
  }

  /** Not one of which something is to be told, unless there are twice as many keys as allowed. */
  #leastRecentlyUsed(): KeyRecord | undefined {
    const mostUntold = this.#records.size < 2 * this.#options.maxKeys ? MOST_UNTOLD : 0;
    let untold = 0;
    for (const record of this.#records.values()) {
      if (record.isBusy || record.value === undefined || hasPending(record.value)) continue;
      if (mostUntold === 0 || !this.#isUntold(record)) return record;
      untold += 1;
      if (untold >= mostUntold) return undefined;
    }
    return undefined;
  }

  #isUntold({ value }: KeyRecord): boolean {
    return value !== undefined && this.#options.isUntold(value);
  }
}

/** Whether something is awaited that may take longer than a shared store keeps it. */
function isAwaited(state: KeyState | undefined): boolean {
  return openIn(state).length > 0 || hasPending(state);
}

function newestOf({ value }: KeyRecord): number {
  return value === undefined ? 0 : Math.max(value.newest, value.from ?? 0);
}
