import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** The direction of a walk: upwards, or from the newest downwards. */
export type Step = 1 | -1;

/**
 * Iterates over places in one direction: sequences of rows. `seek` returns the given place if the cursor has it, else the
 * next one that it has. Each call continues from the last answer. After the last place it returns infinity.
 */
export type Cursor = { seek(place: number): number };

/** Places read by one statement: more where the walk needs all of them, fewer where it skips. */
const CHUNK = { least: 16, most: 512 };

/**
 * The places in an index, in order.
 *
 * `select` returns them as `place`. Its last two parameters are the first place and the number of places.
 */
export class IndexCursor implements Cursor {
  readonly #read: (place: number, count: number) => number[];
  readonly #step: Step;
  #chunk: number[] = [];
  #at = 0;
  #used = 0;
  #size = CHUNK.least;
  #isLast = false;

  constructor(database: DatabaseSync, select: string, values: readonly SQLInputValue[], step: Step) {
    const statement = database.prepare(`SELECT json_group_array(place) AS places FROM (${select})`);
    this.#read = (place, count) => JSON.parse(String(statement.get(...values, place, count)?.places));
    this.#step = step;
  }

  seek(place: number): number {
    for (;;) {
      for (; this.#at < this.#chunk.length; this.#at += 1) {
        const found = this.#chunk[this.#at] ?? 0;
        if ((found - place) * this.#step < 0) continue;
        this.#used += 1;
        return found;
      }
      if (this.#isLast) return this.#step * Number.POSITIVE_INFINITY;
      this.#readOn(place);
    }
  }

  /** Discards what was read ahead, since rows may have changed: the next `seek` reads again. */
  forget(): void {
    this.#chunk = [];
    this.#isLast = false;
  }

  #readOn(place: number): void {
    const isDense = this.#used * 2 >= this.#chunk.length;
    this.#size = isDense ? Math.min(this.#size * 2, CHUNK.most) : CHUNK.least;
    this.#chunk = this.#read(place, this.#size);
    this.#isLast = this.#chunk.length < this.#size;
    this.#at = 0;
    this.#used = 0;
  }
}

/** The union of several cursors. */
export function anyOf(cursors: readonly Cursor[], step: Step): Cursor {
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
