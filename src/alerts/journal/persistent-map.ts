/** The newest version has the map; an older one what differs from the next. */
type Version<Value> =
  | { readonly map: Map<string, Value> }
  | { readonly key: string; readonly value: Value | undefined; readonly next: Cell<Value> };
type Cell<Value> = { version: Version<Value> };

/**
 * A map that never changes: a change returns another one, and costs as little as in a `Map`. Going back to an older one
 * costs as much as there were changes since. The order is that of a `Map`. Do not change it while it is iterated.
 */
export class PersistentMap<Value> {
  readonly #cell: Cell<Value>;
  readonly size: number;

  private constructor(cell: Cell<Value>, size: number) {
    this.#cell = cell;
    this.size = size;
  }

  static of<Value>(entries: Iterable<readonly [string, Value]> = []): PersistentMap<Value> {
    const map = new Map(entries);
    return new PersistentMap({ version: { map } }, map.size);
  }

  get(key: string): Value | undefined {
    return mapOf(this.#cell).get(key);
  }

  has(key: string): boolean {
    return mapOf(this.#cell).has(key);
  }

  with(key: string, value: Value): PersistentMap<Value> {
    return this.#changed(key, value);
  }

  without(key: string): PersistentMap<Value> {
    return this.has(key) ? this.#changed(key, undefined) : this;
  }

  entries(): IterableIterator<[string, Value]> {
    return mapOf(this.#cell).entries();
  }

  values(): IterableIterator<Value> {
    return mapOf(this.#cell).values();
  }

  #changed(key: string, value: Value | undefined): PersistentMap<Value> {
    const map = mapOf(this.#cell);
    const next: Cell<Value> = { version: { map } };
    this.#cell.version = { key, value: map.get(key), next };
    setIn(map, key, value);
    return new PersistentMap(next, map.size);
  }
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
