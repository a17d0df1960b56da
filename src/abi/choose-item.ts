import { CrecError } from "../errors.ts";
import { eventText } from "../protocol/abi-names.ts";
import type { AbiEvent, AbiFunction, AbiParameter } from "./abi-type.ts";
import { signatureOf } from "./abi-type.ts";

// A merged ABI, of a proxy with its implementations say, has several items with one signature. What they are to read
// decides which of them it is, the same for forms, watchers, events, amounts, calls, results and conditions.

/** What an item makes of data. */
export type Reading<T> = {
  value: T;
  /** Whether the data is all that the item describes, and nothing else. Asked only where several items fit. */
  isExact: () => boolean;
};

/** How data is read by an item, and when two values are the same. */
type Reader<I, T> = {
  /** It throws where the data does not fit. */
  read: (item: I) => Reading<T>;
  same: (one: T, other: T) => boolean;
  /** What is read, for the error: `event`. */
  what: string;
};

/**
 * What the items make of data that is one of theirs. Where it is exactly that of some, the others do not count.
 *
 * @throws CrecError `ABI_AMBIGUOUS` where several fit and read differently; the error of the first where none fits.
 */
export function chooseReading<I extends AbiEvent | AbiFunction, T>(
  items: readonly I[],
  { read, same, what }: Reader<I, T>,
): T {
  const readings: Array<Reading<T>> = [];
  let problem: unknown;
  for (const item of items) {
    try {
      readings.push(read(item));
    } catch (error) {
      problem ??= error;
    }
  }
  const exact = readings.length > 1 ? readings.filter(({ isExact }) => isExact()) : [];
  const different: Array<Reading<T>> = [];
  for (const reading of exact.length > 0 ? exact : readings) {
    if (!different.some(({ value }) => same(value, reading.value))) different.push(reading);
  }
  const [first, ...others] = different;
  if (first === undefined) throw problem;
  if (others.length === 0) return first.value;
  throw ambiguous(items, different.length, what);
}

function ambiguous(items: ReadonlyArray<AbiEvent | AbiFunction>, count: number, what: string): CrecError {
  const [item] = items;
  const name = item ? `${item.type}s ${signatureOf(item)}` : "items";
  return new CrecError(
    "ABI_AMBIGUOUS",
    `${count} ${name} of the ABI fit this ${what} and read it differently; keep one of them in the ABI.`,
  );
}

/** The first of each key. */
export function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !seen.has(key) && seen.add(key);
  });
}

/** All of each key, in their order. Node.js 20 has no `Map.groupBy`. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Without repeats of what is written in the same way. */
export function distinctEvents(events: readonly AbiEvent[]): AbiEvent[] {
  return distinct(events, eventText);
}

/** The events of which each reads logs that no other one reads, or reads them otherwise. Names alone change nothing. */
export function eventsByLog(events: readonly AbiEvent[]): AbiEvent[] {
  const kept = new Map<string, AbiEvent[]>();
  return distinctEvents(events).filter((event) => {
    const key = JSON.stringify([
      signatureOf(event),
      event.anonymous,
      event.inputs.map(({ indexed = false }) => indexed),
    ]);
    const alike = kept.get(key) ?? [];
    if (alike.some(({ inputs }) => !exchange(inputs, event.inputs))) return false;
    kept.set(key, [...alike, event]);
    return true;
  });
}

/** Whether a name is at another position in the other list: then it means another value. */
export function exchange(ones: readonly AbiParameter[], others: readonly AbiParameter[]): boolean {
  const places = new Map(others.map(({ name }, index) => [name, index]));
  return ones.some(({ name, components = [] }, index) => {
    const at = name === "" || others[index]?.name === name ? undefined : places.get(name);
    return at !== undefined || exchange(components, others[index]?.components ?? []);
  });
}
