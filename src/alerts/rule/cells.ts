import { Journal } from "../journal/journal.ts";

/** What was counted at one time, and what of it an alert has used up: then it counts no more. */
export type Cell = {
  readonly at: number;
  readonly n: number;
  readonly sum: bigint;
  readonly used: readonly Used[];
};

type Used = { readonly by: number; readonly n: number; readonly sum: bigint };

const UNUSED: readonly Used[] = [];

/** How many times there may be, and the length of the window, by which the others are counted in slots. */
type Bound = { readonly most: number; readonly withinMs: number };

/** A slot is the window halved this often: as often as the bound allows, and always so often that it is less than 1 %. */
const HALVED = { most: 16, least: 7 } as const;
/** Joined so far that it is long until it is needed again. */
const LEFT = 0.75;

/** As it is stored. A number that is 0 is left out at the end. */
export type StoredCell = { n: number; sum?: string; used?: Array<[by: number, n: number, sum?: string]> };

/**
 * What the windows of a key hold, by time. How often each log counted is known by its ids alone, so that nothing here is
 * dropped, however many there are. It never changes: a change returns another one.
 */
export class Cells {
  readonly sorted: readonly Cell[];
  readonly journal: Journal<StoredCell>;
  /** Whether one of them may be negative: then a sum also grows by what leaves its window. */
  readonly hasNegative: boolean;

  private constructor(sorted: readonly Cell[], journal: Journal<StoredCell>, hasNegative: boolean) {
    this.sorted = sorted;
    this.journal = journal;
    this.hasNegative = hasNegative;
  }

  static empty(): Cells {
    return new Cells([], Journal.of(), false);
  }

  static read(journal: Journal<StoredCell>): Cells {
    const cells = [...journal.items.entries()].map(([at, stored]) => cellOf(Number(at), stored));
    return new Cells(
      cells.sort((one, other) => one.at - other.at),
      journal,
      cells.some(({ sum }) => sum < 0n),
    );
  }

  /** Counts more at this time. Of more times than the bound, older ones are counted in slots, at the last time of each. */
  add({ at, n, sum }: Omit<Cell, "used">, bound?: Bound): Cells {
    const index = this.#indexFrom(at);
    const known = this.sorted[index];
    if (known?.at === at) return this.#replaced(index, { ...known, n: known.n + n, sum: known.sum + sum });
    const cell = { at, n, sum, used: UNUSED };
    const journal = this.journal.put(`${at}`, storedOf(cell));
    const added = this.#with(this.sorted.toSpliced(index, 0, cell), journal, sum);
    return bound === undefined ? added : added.#joined(bound);
  }

  /** Takes back what was counted at this time. */
  take({ at, n, sum }: Omit<Cell, "used">): Cells {
    if (n === 0) return this;
    let index = this.#indexFrom(at);
    // It may be counted together with a later one.
    while ((this.sorted[index]?.n ?? n) < n) index += 1;
    const known = this.sorted[index];
    return known === undefined
      ? this
      : this.#replaced(index, { ...known, n: known.n - n, sum: known.sum - sum });
  }

  /** Adds what an alert has used up. */
  addUsed({ at, ...used }: Used & { at: number }): Cells {
    const index = this.#indexFrom(at);
    const known = this.sorted[index];
    if (known?.at !== at) return this.add({ at, n: 0, sum: 0n }).addUsed({ at, ...used });
    return this.#replaced(index, { ...known, used: together([...known.used, used]) });
  }

  /** What is after one time, up to another one, counts no more, because of an alert. */
  use({ after, upTo, by }: { after: number; upTo: number; by: number }): Cells {
    return this.#changed((cell) => {
      if (cell.at <= after || cell.at > upTo || cell.n === 0) return cell;
      const { at, n, sum, used } = cell;
      return { at, n: 0, sum: 0n, used: together([...used, { by, n, sum }]) };
    });
  }

  /** What alerts of this time had used up counts again. */
  free(by: number): Cells {
    return this.#changed((cell) => {
      const freed = cell.used.find((one) => one.by === by);
      if (freed === undefined) return cell;
      const { at, n, sum, used } = cell;
      return { at, n: n + freed.n, sum: sum + freed.sum, used: used.filter((one) => one !== freed) };
    });
  }

  /** Without those that are older than this. */
  since(at: number): Cells {
    const first = this.#indexFrom(at);
    if (first === 0) return this;
    let { journal } = this;
    for (const old of this.sorted.slice(0, first)) journal = journal.expire(`${old.at}`);
    return this.#with(this.sorted.slice(first), journal);
  }

  /** The same, as they were stored. */
  of(journal: Journal<StoredCell>): Cells {
    return this.#with(this.sorted, journal);
  }

  /** The index of the first one that is not older than this. */
  #indexFrom(at: number): number {
    const { sorted } = this;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(sorted[middle]?.at) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #with(sorted: readonly Cell[], journal: Journal<StoredCell>, changed = 0n): Cells {
    return new Cells(sorted, journal, this.hasNegative || changed < 0n);
  }

  #replaced(index: number, cell: Cell): Cells {
    const journal = this.journal.put(`${cell.at}`, storedOf(cell));
    return this.#with(this.sorted.with(index, cell), journal, cell.sum);
  }

  #changed(change: (cell: Cell) => Cell): Cells {
    let { journal } = this;
    const sorted = this.sorted.map((cell) => {
      const changed = change(cell);
      if (changed !== cell) journal = journal.put(`${cell.at}`, storedOf(changed));
      return changed;
    });
    if (journal === this.journal) return this;
    return new Cells(
      sorted,
      journal,
      sorted.some(({ sum }) => sum < 0n),
    );
  }

  /**
   * The slots are the same whenever times are joined, so that what is joined again stays in its slot: it leaves a window
   * late by less than one slot, and at the end of each slot a window holds exactly what it should. Where the slots would
   * have to be too long, there are more of them than the bound.
   */
  #joined({ most, withinMs }: Bound): Cells {
    const { sorted } = this;
    if (sorted.length <= most) return this;
    const longest = withinMs / 2 ** HALVED.least;
    const spanMs = Number(sorted.at(-1)?.at) - Number(sorted[0]?.at);
    const bound = Math.max(most, 2 * (spanMs / longest + 1));
    if (sorted.length <= bound) return this;
    const left = Math.ceil(LEFT * bound);
    let slotMs = withinMs / 2 ** HALVED.most;
    while (slotMs < longest && slotsOf(sorted, slotMs) > left) slotMs *= 2;
    const joined: Cell[] = [];
    let { journal } = this;
    let excess = sorted.length - left;
    for (let index = 0; index < sorted.length; ) {
      const slot = slotAt(sorted[index], slotMs);
      let next = index + 1;
      while (next < sorted.length && next - index <= excess && slotAt(sorted[next], slotMs) === slot)
        next += 1;
      const cell = oneOf(sorted.slice(index, next));
      for (const { at } of sorted.slice(index, next - 1)) journal = journal.remove(`${at}`);
      if (next > index + 1) journal = journal.put(`${cell.at}`, storedOf(cell));
      joined.push(cell);
      excess -= next - index - 1;
      index = next;
    }
    return this.#with(joined, journal);
  }
}

function slotAt(cell: Cell | undefined, slotMs: number): number {
  return Math.floor(Number(cell?.at) / slotMs);
}

function slotsOf(sorted: readonly Cell[], slotMs: number): number {
  let [count, last] = [0, Number.NaN];
  for (const cell of sorted) {
    const slot = slotAt(cell, slotMs);
    if (slot !== last) count += 1;
    last = slot;
  }
  return count;
}

/** Together, at the last of their times. */
function oneOf(cells: readonly Cell[]): Cell {
  const [first, ...others] = cells;
  if (first === undefined) throw new Error("There is no time to join");
  return others.reduce(
    (one, other) => ({
      at: other.at,
      n: one.n + other.n,
      sum: one.sum + other.sum,
      used: together([...one.used, ...other.used]),
    }),
    first,
  );
}

/** One for each alert. */
function together(used: readonly Used[]): Used[] {
  const by = new Map<number, Used>();
  for (const one of used) {
    const known = by.get(one.by) ?? { n: 0, sum: 0n };
    by.set(one.by, { by: one.by, n: known.n + one.n, sum: known.sum + one.sum });
  }
  return [...by.values()];
}

function storedOf({ n, sum, used }: Cell): StoredCell {
  return {
    n,
    ...(sum === 0n ? {} : { sum: `${sum}` }),
    ...(used.length === 0
      ? {}
      : { used: used.map((one) => (one.sum === 0n ? [one.by, one.n] : [one.by, one.n, `${one.sum}`])) }),
  };
}

function cellOf(at: number, { n, sum = "0", used = [] }: StoredCell): Cell {
  return {
    at,
    n,
    sum: BigInt(sum),
    used: used.map(([by, ofUsed, sumOfUsed = "0"]) => ({ by, n: ofUsed, sum: BigInt(sumOfUsed) })),
  };
}

/** Whether a value from a store is a cell. */
export function isStoredCell(value: unknown): value is StoredCell {
  const { n, sum = "0", used = [] } = (value ?? {}) as Partial<Record<keyof StoredCell, unknown>>;
  return (
    Number.isFinite(n) &&
    isWhole(sum) &&
    Array.isArray(used) &&
    used.every((one) => Number.isFinite(one?.[0]) && Number.isFinite(one[1]) && isWhole(one[2] ?? "0"))
  );
}

function isWhole(value: unknown): boolean {
  return typeof value === "string" && /^-?\d+$/.test(value);
}
