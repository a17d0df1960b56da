import type { Row, SectionChange, SectionName, Update } from "../types.ts";

type Rows = { [S in SectionName]: Map<string, Row<S>> };

/** What Node-RED has sent. */
export class Store {
  #rows = noRows();
  /** Whether all rows have come once. */
  isComplete = false;

  rows<S extends SectionName>(section: S): Array<Row<S>> {
    return [...this.#rows[section].values()];
  }

  /** @returns the sections that have changed */
  take({ isFirst, isComplete, changes }: Update): Set<SectionName> {
    const all = Object.keys(this.#rows) as SectionName[];
    const wasComplete = this.isComplete && !isFirst;
    if (isFirst) this.#rows = noRows();
    for (const name of all) this.#change(name, changes[name]);
    this.isComplete = wasComplete || isComplete;
    const isNewView = isFirst || this.isComplete !== wasComplete;
    return new Set(isNewView ? all : all.filter((name) => changes[name] !== undefined));
  }

  #change<S extends SectionName>(name: S, change: SectionChange<S> | undefined): void {
    const rows: Map<string, Row<S>> = this.#rows[name];
    for (const key of change?.gone ?? []) rows.delete(key);
    for (const row of change?.set ?? []) rows.set(row.key, row);
  }
}

function noRows(): Rows {
  return {
    issues: new Map(),
    approvals: new Map(),
    connections: new Map(),
    readers: new Map(),
    operations: new Map(),
    watchers: new Map(),
    wallets: new Map(),
    events: new Map(),
  };
}
