import { yieldToEventLoop } from "../../../timing/index.ts";
import type { AlertStore } from "../../types.ts";
import { isRecordKey } from "../ids.ts";
import type { KeyState } from "../state.ts";
import type { CachedRecord } from "./cached-record.ts";
import { packed } from "./key-form.ts";

export type KeyRecord = CachedRecord<KeyState>;

type StoredKeysOptions = {
  store: AlertStore;
  /** The limit of entries: a key with one event is about one. @default 1_000_000 */
  most?: number | undefined;
  /** From when on the key has nothing left that can count; undefined where only an input changes that. */
  overAt: (state: KeyState) => number | undefined;
  /** The record of a key, not read yet. */
  recordOf: (key: string) => KeyRecord;
  /** Called with how many keys were forgotten because of the limit. */
  onForgotten: (count: number) => void;
};

const MOST_ENTRIES = 1_000_000;
/** Characters of a packed state with one event. */
const ENTRY = 200;
const LOOKED_AT = 10_000;
/** Records that are read or written at the same time. */
export const AT_ONCE = 64;

/**
 * The keys whose state only the store has. In a store of one's own, the state is packed, and removed once nothing of it
 * can count. A shared store forgets by itself what is old. Beyond the limit, the keys that were left there first are forgotten.
 */
export class StoredKeys {
  readonly #options: StoredKeysOptions;
  readonly #most: number;
  /** When each is over, in seconds of event time. */
  readonly #overAt = new Map<string, number>();
  /** Of keys with more than one. */
  readonly #entriesOf = new Map<string, number>();
  #entries = 0;
  /** Undefined where it starts again. */
  #turn: Iterator<[key: string, overAt: number]> | undefined;
  /** Keys that may be new in a shared store until those there are counted again. */
  #uncounted: number;

  constructor(options: StoredKeysOptions) {
    this.#options = options;
    this.#most = options.most ?? MOST_ENTRIES;
    this.#uncounted = this.#most / 8;
  }

  /** Whether only the store has the key. Of a shared store that is not known. */
  has(key: string): boolean {
    return this.#overAt.has(key);
  }

  keys(): string[] {
    return [...this.#overAt.keys()];
  }

  /** Leaves a key to the store. */
  async add(record: KeyRecord): Promise<void> {
    const { key, value } = record;
    if (this.#options.store.isShared || value === undefined) return;
    const text = packed(key, value);
    this.#note(key, text, value);
    await record.rewrite(text);
    let forgotten = 0;
    for (const first of this.#overAt.keys()) {
      if (this.#entries <= this.#most) break;
      this.delete(first);
      await this.#remove(first);
      forgotten += 1;
    }
    if (forgotten > 0) this.#options.onForgotten(forgotten);
  }

  /** Whether a key was left to the store by an earlier run. */
  async isPacked(key: string): Promise<boolean> {
    const { value } = (await this.#options.store.read(key)) ?? {};
    if (typeof value !== "string") return false;
    const record = this.#options.recordOf(key);
    await record.read();
    if (record.value === undefined) return false;
    this.#note(key, value, record.value);
    return true;
  }

  /** It is in memory again. */
  delete(key: string): void {
    if (!this.#overAt.delete(key)) return;
    this.#entries -= this.#entriesOf.get(key) ?? 1;
    this.#entriesOf.delete(key);
  }

  /** Removes what is over by an event time; of many keys, some at a time. `first` is awaited before any is removed. */
  async expire(at: number, first: () => Promise<void>): Promise<void> {
    const over: string[] = [];
    this.#turn ??= this.#overAt.entries();
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const { value, done } = this.#turn.next();
      if (done) {
        this.#turn = undefined;
        break;
      }
      if (value[1] * 1_000 <= at) over.push(value[0]);
    }
    if (over.length === 0) return;
    await first();
    for (const key of over) {
      // Meanwhile it may be in memory again.
      if (!this.#overAt.has(key)) continue;
      this.delete(key);
      await this.#remove(key);
    }
  }

  /** A key may be new in a shared store, which has a limit too. */
  async noteNew(mayForget: (key: string) => boolean = () => true): Promise<void> {
    const { store, onForgotten } = this.#options;
    this.#uncounted -= 1;
    if (!store.isShared || this.#uncounted > 0) return;
    const keys = (await store.keys()).filter(isRecordKey);
    const excess = keys.filter(mayForget).slice(0, Math.max(0, keys.length - this.#most));
    this.#uncounted = Math.max(this.#most / 100, (this.#most - keys.length) / 8);
    await inGroups(excess, (key) => this.#remove(key));
    if (excess.length > 0) onForgotten(excess.length);
  }

  #note(key: string, text: string, state: KeyState): void {
    this.delete(key);
    const entries = Math.max(Math.ceil(text.length / ENTRY), state.logs.size);
    const overAt = this.#options.overAt(state) ?? Number.POSITIVE_INFINITY;
    this.#overAt.set(key, Math.ceil(overAt / 1_000));
    if (entries > 1) this.#entriesOf.set(key, entries);
    this.#entries += entries;
  }

  async #remove(key: string): Promise<void> {
    const record = this.#options.recordOf(key);
    await record.read();
    await record.change(() => ({ state: undefined }));
  }
}

/** Some at a time, with a turn for others in between. */
export async function inGroups<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (let index = 0; index < items.length; index += AT_ONCE) {
    await Promise.all(items.slice(index, index + AT_ONCE).map(run));
    await yieldToEventLoop();
  }
}
