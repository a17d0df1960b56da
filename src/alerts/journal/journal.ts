/** An item that was put, or the id of one that was removed. */
export type Change<Item> = readonly [id: string, item: Item] | readonly [id: string];

/** A record of a store with changes that never change. */
export type Segment = readonly [name: string, changes: number];

const NONE: readonly Segment[] = [];

/** As it is stored: the newest changes, and where the others are. */
export type StoredJournal<Item> = { open: Array<Change<Item>>; segments?: readonly Segment[] };

/** The newest change comes first, so that adding one costs the same however many there are. */
type Open<Item> = { readonly change: Change<Item>; readonly before: Open<Item> | undefined } | undefined;

type Parts<Item> = {
  items: PersistentMap<Item>;
  open: Open<Item>;
  openCount: number;
  segments: readonly Segment[];
};

/**
 * Items by id, as they are stored: a write has the newest changes only. It never changes: a change returns another one.
 * Do not change it while it is iterated.
 */
export class Journal<Item> {
  readonly items: PersistentMap<Item>;
  readonly #open: Open<Item>;
  readonly openCount: number;
  readonly segments: readonly Segment[];

  private constructor({ items, open, openCount, segments }: Parts<Item>) {
    this.items = items;
    this.#open = open;
    this.openCount = openCount;
    this.segments = segments;
  }

  static of<Item>(entries: Iterable<readonly [string, Item]> = []): Journal<Item> {
    const empty = { items: PersistentMap.of<Item>(), open: undefined, openCount: 0, segments: NONE };
    let journal = new Journal<Item>(empty);
    for (const [id, item] of entries) journal = journal.put(id, item);
    return journal;
  }

  /** With items of a store. */
  static read<Item>(
    items: PersistentMap<Item>,
    open: ReadonlyArray<Change<Item>>,
    segments: readonly Segment[],
  ): Journal<Item> {
    let list: Open<Item>;
    for (const change of open) list = { change, before: list };
    return new Journal<Item>({ items, open: list, openCount: open.length, segments });
  }

  get size(): number {
    return this.items.size;
  }

  /** How many changes are stored. */
  get stored(): number {
    return this.segments.reduce((sum, [, count]) => sum + count, this.openCount);
  }

  get(id: string): Item | undefined {
    return this.items.get(id);
  }

  put(id: string, item: Item): Journal<Item> {
    return this.#changed([id, item], this.items.with(id, item));
  }

  remove(id: string): Journal<Item> {
    return this.items.has(id) ? this.#changed([id], this.items.without(id)) : this;
  }

  /** Without an item that may be there again when the journal is read: what is too old is removed again then. */
  expire(id: string): Journal<Item> {
    const { openCount, segments } = this;
    return new Journal({ items: this.items.without(id), open: this.#open, openCount, segments });
  }

  /** The changes that are in no segment, oldest first. */
  open(): Array<Change<Item>> {
    const changes: Array<Change<Item>> = [];
    for (let one = this.#open; one !== undefined; one = one.before) changes.push(one.change);
    return changes.reverse();
  }

  /** The same items, with all changes in these segments. */
  sealed(segments: readonly Segment[]): Journal<Item> {
    return new Journal({ items: this.items, open: undefined, openCount: 0, segments });
  }

  /** The same items, to be written again as a whole. */
  renewed(): Journal<Item> {
    return Journal.read(this.items, [...this.items.entries()], []);
  }

  toJSON(): StoredJournal<Item> {
    const { segments } = this;
    return segments.length === 0 ? { open: this.open() } : { open: this.open(), segments };
  }

  #changed(change: Change<Item>, items: PersistentMap<Item>): Journal<Item> {
    const { openCount, segments } = this;
    const last = this.#open;
    // What is changed again and again is written once.
    const isAgain = last !== undefined && last.change[0] === change[0];
    const open = { change, before: isAgain ? last.before : last };
    return new Journal({ items, open, openCount: isAgain ? openCount : openCount + 1, segments });
  }
}

/** The newest version has the map; an older one what differs from the next. */
type Version<Value> =
  | { readonly map: Map<string, Value> }
  | { readonly key: string; readonly value: Value | undefined; readonly next: Cell<Value> };
type Cell<Value> = { version: Version<Value> };

/** Of few entries, a list takes less memory. */
type Entries<Value> = ReadonlyArray<readonly [string, Value]>;
const FEW = 8;

/**
 * A map that never changes: a change returns another one, and costs as little as in a `Map`. Going back to an older one
 * costs as much as there were changes since. The order is that of a `Map`. Do not change it while it is iterated.
 */
export class PersistentMap<Value> {
  readonly #content: Entries<Value> | Cell<Value>;
  readonly size: number;

  private constructor(content: Entries<Value> | Cell<Value>, size: number) {
    this.#content = content;
    this.size = size;
  }

  static of<Value>(entries: Iterable<readonly [string, Value]> = []): PersistentMap<Value> {
    const map = new Map(entries);
    return new PersistentMap(map.size <= FEW ? [...map] : { version: { map } }, map.size);
  }

  get(key: string): Value | undefined {
    const content = this.#content;
    if (!isList(content)) return mapOf(content).get(key);
    for (const entry of content) if (entry[0] === key) return entry[1];
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  with(key: string, value: Value): PersistentMap<Value> {
    const content = this.#content;
    if (!isList(content)) return changed(content, key, value);
    const index = content.findIndex((entry) => entry[0] === key);
    const entry = [key, value] as const;
    const list = index < 0 ? [...content, entry] : content.with(index, entry);
    return list.length > FEW ? PersistentMap.of(list) : new PersistentMap(list, list.length);
  }

  without(key: string): PersistentMap<Value> {
    if (!this.has(key)) return this;
    const content = this.#content;
    if (!isList(content)) return changed(content, key, undefined);
    const list = content.filter((entry) => entry[0] !== key);
    return new PersistentMap(list, list.length);
  }

  entries(): IterableIterator<readonly [string, Value]> {
    const content = this.#content;
    return isList(content) ? content.values() : mapOf(content).entries();
  }

  *values(): Generator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  /** @internal */
  static next<Value>(cell: Cell<Value>, size: number): PersistentMap<Value> {
    return new PersistentMap(cell, size);
  }
}

function isList<Value>(content: Entries<Value> | Cell<Value>): content is Entries<Value> {
  return Array.isArray(content);
}

function changed<Value>(cell: Cell<Value>, key: string, value: Value | undefined): PersistentMap<Value> {
  const map = mapOf(cell);
  const next: Cell<Value> = { version: { map } };
  cell.version = { key, value: map.get(key), next };
  setIn(map, key, value);
  return PersistentMap.next(next, map.size);
}

/** The map as it was in a version, which then has it. */
function mapOf<Value>(cell: Cell<Value>): Map<string, Value> {
  const newer: Array<Cell<Value>> = [];
  let at = cell;
  while ("next" in at.version) {
    newer.push(at);
    at = at.version.next;
  }
  const { map } = at.version;
  for (const older of newer.reverse()) {
    if (!("next" in older.version)) continue;
    const { key, value } = older.version;
    at.version = { key, value: map.get(key), next: older };
    setIn(map, key, value);
    older.version = { map };
    at = older;
  }
  return map;
}

function setIn<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
