import type { Row, SectionChange, SectionName, Update } from "../types.ts";
import type { AllSections } from "./sections.ts";

/** Often enough for a person who looks, and half the cost of twice a second. */
const TICK_MS = 1_000;
/** Every ten seconds an update is sent even where nothing has changed: a sidebar without one says that it is not live. */
const PULSE_TICKS = 10;
/** Rows of one update, of all sections together. The others follow with the next ones. */
export const MOST_ROWS = 500;
/** A sidebar renews this often. */
export const RENEW_MS = 60_000;
/** It may miss one renewal. */
const LIFE_MS = 2 * RENEW_MS + 10_000;

type PusherOptions = {
  /** Called for the first sidebar that opens; the sections are dropped when the last one closes. */
  sections: () => AllSections;
  send: (session: string, update: Update) => void;
  /** Called once for each section that cannot be read, as long as a sidebar is open. */
  onProblem: (section: SectionName, error: unknown) => void;
  /** Milliseconds, of a clock that is never set. */
  now: () => number;
};

/** Sends what changes to the sidebars that are open. While none is, there is no timer and no work. */
export class Pusher {
  readonly #options: PusherOptions;
  readonly #open = new Map<string, { session: SidebarSession; end: number }>();
  readonly #problems = new Set<SectionName>();
  #sections: AllSections | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(options: PusherOptions) {
    this.#options = options;
  }

  /** How many sidebars are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Starts the updates of a session with all that there is, or renews them. */
  open(id: string): void {
    const end = this.#options.now() + LIFE_MS;
    const known = this.#open.get(id);
    if (known) {
      known.end = end;
      return;
    }
    this.#sections ??= this.#options.sections();
    this.#open.set(id, { session: new SidebarSession(this.#sections), end });
    if (this.#timer) return;
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.tick();
  }

  acknowledge(id: string, number: number): void {
    this.#open.get(id)?.session.acknowledge(number);
  }

  close(id: string): void {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#sections = undefined;
    this.#problems.clear();
  }

  /** What runs once a second. */
  tick(): void {
    const now = this.#options.now();
    this.#ticks += 1;
    const isPulse = this.#ticks % PULSE_TICKS === 0;
    for (const [id, { end }] of this.#open) if (now > end) this.close(id);
    const ready = [...this.#open].filter(([, { session }]) => session.isReady);
    if (ready.length === 0) return;
    this.#refresh();
    for (const [id, { session }] of ready) {
      const update = session.nextUpdate(MOST_ROWS, Date.now(), isPulse);
      if (update) this.#options.send(id, update);
    }
  }

  /** A node that cannot say how it is must not stop Node-RED, nor the other sections. */
  #refresh(): void {
    for (const [name, section] of Object.entries(this.#sections ?? {})) {
      try {
        section.refresh();
      } catch (error) {
        const isNew = !this.#problems.has(name as SectionName);
        this.#problems.add(name as SectionName);
        if (isNew) this.#options.onProblem(name as SectionName, error);
      }
    }
  }
}

type Sent<S extends SectionName> = {
  rows: Map<string, Row<S>>;
  /** The map of rows that this sidebar has in full. */
  complete: ReadonlyMap<string, Row<S>> | undefined;
};

/** What one open sidebar has been sent. */
class SidebarSession {
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
