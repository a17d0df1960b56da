/**
 * Keeps a value as it is now, however deep: each call gives a copy of its own, which may be changed.
 * As text where that is possible, since text is small and fast.
 */
export function snapshotOf<T extends object>(value: T): () => T {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    // `JSON.stringify` ends at some thousand levels, at values such as a bigint, and at circles.
    const kept = deepCopy(value);
    return () => deepCopy(kept);
  }
  return () => JSON.parse(text) as T;
}

/** Lists and plain objects are copied, whatever their depth; everything else is passed on. */
function deepCopy<T extends object>(value: T): T {
  const copies = new Map<object, object>();
  const open: Array<[from: object, to: object]> = [];
  const copyOf = (one: unknown): unknown => {
    if (!isPlain(one)) return one;
    const known = copies.get(one);
    if (known !== undefined) return known;
    const copy = Array.isArray(one) ? [] : {};
    copies.set(one, copy);
    open.push([one, copy]);
    return copy;
  };
  const copied = copyOf(value);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, to] = next;
    // Defined, not assigned: `__proto__` may be the name of a field.
    for (const [key, inner] of Object.entries(from))
      Object.defineProperty(to, key, {
        value: copyOf(inner),
        configurable: true,
        enumerable: true,
        writable: true,
      });
  }
  return copied as T;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
