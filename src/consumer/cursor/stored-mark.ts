import type { Mark } from "../pages/gap.ts";

/**
 * Whether the stored cursor is enough to notice that the service has dropped an event before it was settled. A stored
 * cursor has a mark: the highest event that was read, or the lowest that is not settled. It covers all events above
 * the known ones. One that appears below them, late, is covered when the cursor is stored with it.
 */
export class StoredMark {
  #hasMark: boolean;
  /** The highest offset of a known event. */
  #highest = -1;
  /** Events up to this offset are new since the cursor was stored, and not covered. */
  #uncoveredUpTo = -1;

  /** `mark`: of the cursor that was loaded. */
  constructor(mark: Mark | undefined, known: Iterable<number>) {
    this.#hasMark = mark !== undefined;
    for (const offset of known) this.#highest = Math.max(this.#highest, offset);
    if (mark !== undefined) this.#highest = Math.max(this.#highest, mark.offset);
  }

  covers(offset: number): boolean {
    return offset > this.#uncoveredUpTo;
  }

  /** A new event has to be settled. */
  admit(offset: number): void {
    if (!this.#hasMark || offset < this.#highest) this.#uncoveredUpTo = Math.max(this.#uncoveredUpTo, offset);
    this.#highest = Math.max(this.#highest, offset);
  }

  /** The cursor is stored with all events that were admitted. */
  stored(): void {
    this.#hasMark = true;
    this.#uncoveredUpTo = -1;
  }
}
