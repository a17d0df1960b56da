import type { SectionName, Update } from "../types.ts";
import type { AllSections } from "./all-sections.ts";
import { SidebarSession } from "./sidebar-session.ts";

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
