/**
 * Keeps a value as it is now, however deep: each call returns a new copy, which may be changed.
 * As text when possible, since text is small and fast.
 */
export function snapshotOf<T extends object>(value: T): () => T {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    // `JSON.stringify` fails at some thousand levels, for values such as a bigint, and for cycles.
    const kept = deepCopy(value);
    return () => deepCopy(kept);
  }
  return () => JSON.parse(text) as T;
}

/** Copies lists and plain objects of any depth; everything else stays the same value. */
function deepCopy<T extends object>(value: T): T {
  const copies = new Map<object, object>();
  const pending: Array<[from: object, to: object]> = [];
  const copyOf = (one: unknown): unknown => {
    if (!isPlain(one)) return one;
    const known = copies.get(one);
    if (known !== undefined) return known;
    const copy = Array.isArray(one) ? [] : {};
    copies.set(one, copy);
    pending.push([one, copy]);
    return copy;
  };
  const copied = copyOf(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
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
