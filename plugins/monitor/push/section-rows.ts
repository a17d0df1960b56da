import type { Row, SectionName, Sections } from "../types.ts";
import { isSameRow, rowOf } from "./row-fields.ts";

/** Where the rows of a section come from. */
type SectionSource<S extends SectionName> = {
  /** The same as long as no report changes; undefined where it has none, and the reports are compared. */
  revision(): number | undefined;
  reports(): Array<Sections[S]>;
  /** Need not be unique: of a subflow, several instances have the same nodes. */
  keyOf(report: Sections[S]): string;
};

/**
 * The rows of a section, which all sidebars share. A row is the same object as long as it says the same, and `rows` is
 * the same map as long as no row changes: so each sidebar finds by identity what it has not been sent.
 */
export class SectionRows<S extends SectionName> {
  readonly #name: S;
  readonly #source: SectionSource<S>;
  #revision: number | undefined;
  #reports = new Map<string, Sections[S]>();
  #rows: ReadonlyMap<string, Row<S>> = new Map();

  constructor(name: S, source: SectionSource<S>) {
    this.#name = name;
    this.#source = source;
  }

  get rows(): ReadonlyMap<string, Row<S>> {
    return this.#rows;
  }

  /** @throws what a source throws; the rows then stay as they are */
  refresh(): void {
    const revision = this.#source.revision();
    if (revision !== undefined && revision === this.#revision) return;
    const reports = new Map<string, Sections[S]>();
    const rows = new Map<string, Row<S>>();
    let isUnchanged = true;
    for (const report of this.#source.reports()) {
      const wanted = this.#source.keyOf(report);
      const key = rows.has(wanted) ? freeKey(wanted, rows) : wanted;
      const before = this.#rows.get(key);
      const row = this.#rowOf(key, report, before);
      isUnchanged &&= row === before;
      reports.set(key, report);
      rows.set(key, row);
    }
    isUnchanged &&= rows.size === this.#rows.size;
    this.#revision = revision;
    this.#reports = reports;
    if (!isUnchanged) this.#rows = rows;
  }

  #rowOf(key: string, report: Sections[S], before: Row<S> | undefined): Row<S> {
    // Pushed reports are never changed in place.
    if (before !== undefined && this.#reports.get(key) === report) return before;
    const row = rowOf(this.#name, key, report);
    return before !== undefined && isSameRow(before, row) ? before : row;
  }
}

function freeKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 2, key = wanted; ; number += 1) {
    if (!taken.has(key)) return key;
    key = `${wanted} ${number}`;
  }
}
