/** Whether a value has named properties: no list, and not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The part of a Map or a Set that is needed: its keys are in the order in which they were added. */
type Entries<K> = { readonly size: number; keys(): Iterable<K>; delete(key: K): boolean };

/** Removes the entry that was added first, where there are more than `most`. */
export function dropOldest<K>(entries: Entries<K>, most: number): void {
  if (entries.size <= most) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

/** Sets an entry, which is the newest then, also where it was there. Removes the oldest where there are more than `most`. */
export function setNewest<K, V>(entries: Map<K, V>, key: K, value: V, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  dropOldest(entries, most);
}
