type Order<T> = (one: T, other: T) => number;

/** By what comes out of these, the first one first. */
export function by<T>(...values: ReadonlyArray<(row: T) => number | string>): Order<T> {
  return (one, other) => {
    for (const value of values) {
      const [a, b] = [value(one), value(other)];
      const order =
        typeof a === "string" ? a.localeCompare(String(b), undefined, { numeric: true }) : a - Number(b);
      if (order !== 0) return order;
    }
    return 0;
  };
}
