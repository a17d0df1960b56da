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
