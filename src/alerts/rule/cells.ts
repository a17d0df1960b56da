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

  /** Counts more at this time. Of more times than `most`, older ones are counted together, at the later of two. */
  add({ at, n, sum }: Omit<Cell, "used">, most = Number.POSITIVE_INFINITY): Cells {
    const index = this.#indexFrom(at);
    const known = this.sorted[index];
    if (known?.at === at) return this.#replaced(index, { ...known, n: known.n + n, sum: known.sum + sum });
    const cell = { at, n, sum, used: UNUSED };
    const journal = this.journal.put(`${at}`, storedOf(cell));
    return this.#with(this.sorted.toSpliced(index, 0, cell), journal, sum).#joined(most);
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

  #joined(most: number): Cells {
    const { sorted } = this;
    if (sorted.length <= most) return this;
    const older = sorted.slice(0, Math.max(2, sorted.length >> 1));
    const joined: Cell[] = [];
    let { journal } = this;
    for (let index = 0; index < older.length; index += 2) {
      const [first, second] = older.slice(index, index + 2);
      if (first === undefined) continue;
      const cell =
        second === undefined
          ? first
          : {
              at: second.at,
              n: first.n + second.n,
              sum: first.sum + second.sum,
              used: together([...first.used, ...second.used]),
            };
      if (cell !== first) journal = journal.remove(`${first.at}`).put(`${cell.at}`, storedOf(cell));
      joined.push(cell);
    }
    return this.#with([...joined, ...sorted.slice(older.length)], journal).#joined(most);
  }
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
