import type { Row, SectionChange, SectionName, Update } from "../types.ts";
import type { AllSections } from "./all-sections.ts";

type Sent<S extends SectionName> = {
  rows: Map<string, Row<S>>;
  /** The map of rows that this sidebar has in full. */
  complete: ReadonlyMap<string, Row<S>> | undefined;
};

/** What one open sidebar has been sent. */
export class SidebarSession {
  readonly #sections: AllSections;
  readonly #names: readonly SectionName[];
  readonly #sent = new Map<SectionName, Sent<SectionName>>();
  #number = 0;
  #seen = 0;
  /** The section that did not fit into the last update: the next one begins with it, so that each gets its turn. */
  #next = 0;

  constructor(sections: AllSections) {
    this.#sections = sections;
    this.#names = Object.keys(sections) as SectionName[];
  }

  /** Whether it has acknowledged what was sent: one that sleeps is sent no more. */
  get isReady(): boolean {
    return this.#seen === this.#number;
  }

  acknowledge(number: number): void {
    if (number === this.#number) this.#seen = number;
  }

  /**
   * What it has not been sent yet, up to so many rows; undefined where there is nothing.
   * @param now Unix milliseconds
   * @param isPulse whether to send an update without changes
   */
  nextUpdate(most: number, now: number, isPulse = false): Update | undefined {
    const changes: Update["changes"] = {};
    let left = most;
    let isComplete = true;
    const first = this.#next;
    for (let step = 0; step < this.#names.length && isComplete; step += 1) {
      const index = (first + step) % this.#names.length;
      const name = this.#names[index] as SectionName;
      const change = this.#changeOf(name, left);
      if (change === undefined) continue;
      const { set, gone } = change;
      if (set.length + gone.length > 0) Object.assign(changes, { [name]: { set, gone } });
      left -= set.length + gone.length;
      isComplete = change.isComplete;
      if (!isComplete) this.#next = index;
    }
    const isFirst = this.#number === 0;
    if (!isFirst && !isPulse && left === most) return undefined;
    this.#number += 1;
    return { number: this.#number, isFirst, isComplete, now, changes };
  }

  #changeOf<S extends SectionName>(
    name: S,
    most: number,
  ): (SectionChange<S> & { isComplete: boolean }) | undefined {
    const rows: ReadonlyMap<string, Row<S>> = this.#sections[name].rows;
    const sent = this.#sentOf(name);
    if (sent.complete === rows) return undefined;
    const gone: string[] = [];
    const set: Array<Row<S>> = [];
    const isFull = () => gone.length + set.length >= most;
    let isComplete = true;
    for (const key of sent.rows.keys()) {
      if (rows.has(key)) continue;
      isComplete = !isFull();
      if (!isComplete) break;
      gone.push(key);
      sent.rows.delete(key);
    }
    for (const [key, row] of isComplete ? rows : []) {
      if (sent.rows.get(key) === row) continue;
      isComplete = !isFull();
      if (!isComplete) break;
      set.push(row);
      sent.rows.set(key, row);
    }
    if (isComplete) sent.complete = rows;
    return { set, gone, isComplete };
  }

  #sentOf<S extends SectionName>(name: S): Sent<S> {
    const known = this.#sent.get(name) as Sent<S> | undefined;
    const sent: Sent<S> = known ?? { rows: new Map(), complete: undefined };
    if (known === undefined) this.#sent.set(name, sent as unknown as Sent<SectionName>);
    return sent;
  }
}
