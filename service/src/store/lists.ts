import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { Conditions, type Row } from "./rows.ts";
import type { Yielder } from "./yielder.ts";

/** A filtered list. The columns of each member of `indexed` must have an index. */
export type List = {
  table: string;
  step: Step;
  /** Required values by column; a list of values means one of them. */
  indexed: ReadonlyArray<Record<string, string | readonly string[]>>;
  /** More conditions of each row. */
  conditions?: Conditions;
};

export type PageRequest = {
  limit: number;
  offset: number;
  /** Ids to omit. */
  absent?: readonly string[];
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Page<T> = { data: T[]; has_more: boolean };

/**
 * One page of a list, by sequence. It yields to the event loop, and rows may change meanwhile. Nothing that was read of a
 * row is kept over a yield, so each row that always meets the conditions is counted once, and the counted rows are
 * returned.
 */
export async function pageOfList<T>(
  { database, yielder }: { database: DatabaseSync; yielder: Yielder },
  list: List,
  request: PageRequest,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const { table, step, indexed, conditions = new Conditions() } = list;
  const { limit, offset, isAbandoned } = request;
  const cursors = indexed.map((columns) => cursorsOf(database, { table, step, columns }));
  const meets = conditions.isEmpty
    ? undefined
    : database.prepare(`SELECT 1 FROM ${table} WHERE sequence = ? AND ${conditions.sql}`);
  const read = database.prepare(`SELECT * FROM ${table} WHERE sequence = ?`);
  const data: T[] = [];
  const { hasMore } = await walk(
    {
      cursors: cursors.map((some) => anyOf(some, step)),
      matches: meets && ((place) => meets.get(place, ...conditions.values) !== undefined),
      take: (place) => data.push(toItem(read.get(place) as Row)),
      resume: () => {
        for (const cursor of cursors.flat()) cursor.forget();
      },
      ...(step === 1 ? { from: 0, to: Number.POSITIVE_INFINITY } : { from: Number.POSITIVE_INFINITY, to: 0 }),
      step,
      skip: offset,
      limit,
      isAbandoned,
    },
    yielder,
  );
  return { data, has_more: hasMore };
}

/** A cursor for each combination of the values. */
function cursorsOf(
  database: DatabaseSync,
  of: { table: string; step: Step; columns: Record<string, string | readonly string[]> },
): IndexCursor[] {
  const { table, step, columns } = of;
  const combinations = Object.values(columns).reduce<SQLInputValue[][]>(
    (starts, value) => starts.flatMap((start) => [...new Set([value].flat())].map((one) => [...start, one])),
    [[]],
  );
  const equal = Object.keys(columns).map((column) => `${column} = ?`);
  const select = `SELECT sequence AS place FROM ${table} WHERE ${equal.join(" AND ")}
    AND sequence ${step === 1 ? ">=" : "<="} ? ORDER BY sequence ${step === 1 ? "" : "DESC"} LIMIT ?`;
  return combinations.map((values) => new IndexCursor(database, select, values, step));
}

type Walk = {
  /** A place matches when each cursor has it. */
  cursors: readonly Cursor[];
  /** A condition beyond the cursors, checked only for places that all of them have. */
  matches?: ((place: number) => boolean) | undefined;
  /** Called for each place of the page in the same turn of the event loop in which it is found. */
  take?: (place: number) => void;
  /** Called after yielding: rows may have changed. */
  resume?: () => void;
  /** The first and the last possible place. */
  from: number;
  to: number;
  step: Step;
  /** Matches before the first one of the page. */
  skip: number;
  limit: number;
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Found = { places: number[]; hasMore: boolean };

/** The places of one page, in order; none when the caller has gone. It yields to the event loop. */
async function walk(walk: Walk, yielder: Yielder): Promise<Found> {
  const { cursors, matches, to, step, limit } = walk;
  let { from: place, skip } = walk;
  const places: number[] = [];
  while ((to - place) * step >= 0) {
    if (yielder.shouldYield()) {
      await yielder.yield();
      if (walk.isAbandoned?.() === true) return { places: [], hasMore: false };
      walk.resume?.();
    }
    const asked = place;
    for (const cursor of cursors) place = cursor.seek(place);
    if (place !== asked) continue;
    if (matches === undefined || matches(place)) {
      if (skip > 0) skip -= 1;
      else if (places.length === limit) return { places, hasMore: true };
      else {
        places.push(place);
        walk.take?.(place);
      }
    }
    place += step;
  }
  return { places, hasMore: false };
}

/** The direction of a walk: upwards, or from the newest downwards. */
export type Step = 1 | -1;

/**
 * Iterates over places in one direction: sequences of rows. `seek` returns the given place if the cursor has it, else the
 * next one that it has. Each call continues from the last answer. After the last place it returns infinity.
 */
type Cursor = { seek(place: number): number };

/** Rows read by one statement: more where the walk needs all of them, fewer where it skips. */
type Chunk = { least: number; most: number };

/** Rows in one direction, read in chunks. `read` returns so many rows from a place on. */
export class ReadAhead<T> {
  readonly #read: (place: number, count: number) => T[];
  readonly #placeOf: (row: T) => number;
  readonly #step: Step;
  readonly #limits: Chunk;
  #chunk: T[] = [];
  #at = 0;
  #used = 0;
  #returned: T | undefined;
  #size: number;
  #isLast = false;

  constructor(
    read: (place: number, count: number) => T[],
    { placeOf, step, chunk }: { placeOf: (row: T) => number; step: Step; chunk: Chunk },
  ) {
    this.#read = read;
    this.#placeOf = placeOf;
    this.#step = step;
    this.#limits = chunk;
    this.#size = chunk.least;
  }

  /** The row at this place, or the next one; undefined after the last one. Each call continues from the last answer. */
  from(place: number): T | undefined {
    for (;;) {
      for (; this.#at < this.#chunk.length; this.#at += 1) {
        const row = this.#chunk[this.#at];
        if (row === undefined || (this.#placeOf(row) - place) * this.#step < 0) continue;
        if (row !== this.#returned) this.#used += 1;
        this.#returned = row;
        return row;
      }
      if (this.#isLast) return undefined;
      this.#readOn(place);
    }
  }

  /** Discards what was read ahead, since rows may have changed: the next call reads again. */
  forget(): void {
    this.#chunk = [];
    this.#isLast = false;
  }

  #readOn(place: number): void {
    const isDense = this.#used * 2 >= this.#chunk.length;
    this.#size = isDense ? Math.min(this.#size * 4, this.#limits.most) : this.#limits.least;
    this.#chunk = this.#read(place, this.#size);
    this.#isLast = this.#chunk.length < this.#size;
    this.#at = 0;
    this.#used = 0;
  }
}

/**
 * The places in an index, in order.
 *
 * `select` returns them as `place`. Its last two parameters are the first place and the number of places.
 */
class IndexCursor implements Cursor {
  readonly #places: ReadAhead<number>;
  readonly #end: number;

  constructor(database: DatabaseSync, select: string, values: readonly SQLInputValue[], step: Step) {
    const statement = database.prepare(`SELECT json_group_array(place) AS places FROM (${select})`);
    this.#places = new ReadAhead<number>(
      (place, count) => JSON.parse(String(statement.get(...values, place, count)?.places)),
      { placeOf: (place) => place, step, chunk: { least: 16, most: 512 } },
    );
    this.#end = step * Number.POSITIVE_INFINITY;
  }

  seek(place: number): number {
    return this.#places.from(place) ?? this.#end;
  }

  forget(): void {
    this.#places.forget();
  }
}

/** The union of several cursors. */
function anyOf(cursors: readonly Cursor[], step: Step): Cursor {
  const [only, ...others] = cursors;
  return only !== undefined && others.length === 0 ? only : new AnyCursor(cursors, step);
}

class AnyCursor implements Cursor {
  readonly #cursors: readonly Cursor[];
  readonly #step: Step;

  constructor(cursors: readonly Cursor[], step: Step) {
    this.#cursors = cursors;
    this.#step = step;
  }

  seek(place: number): number {
    let first = this.#step * Number.POSITIVE_INFINITY;
    for (const cursor of this.#cursors) {
      const found = cursor.seek(place);
      if ((found - first) * this.#step < 0) first = found;
    }
    return first;
  }
}
