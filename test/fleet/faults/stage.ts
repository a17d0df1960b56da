import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FleetChain } from "./chain.ts";
import { Copy } from "./copy.ts";
import type { Engine } from "./engine.ts";
import { Records } from "./records.ts";

const NAMES = ["a", "b", "c"] as const;
const HOUR_MS = 3_600_000;
/** So many events wait to be read while faults go on, if nothing else is said. */
const BACKLOG = 40;

/** Real Node-REDs with one flow, a real database, and a real service on a real chain. */
export class Stage {
  readonly engine: Engine;
  readonly chain: FleetChain;
  readonly copies: readonly Copy[];
  readonly records: Records;
  readonly #inFlight: number;
  readonly #backlog: number;
  /** How many events the channel has. */
  events = 0;
  readonly #folder: string;

  private constructor(
    parts: Pick<Stage, "engine" | "chain" | "copies" | "records"> & {
      folder: string;
      inFlight: number;
      backlog: number;
    },
  ) {
    this.engine = parts.engine;
    this.chain = parts.chain;
    this.copies = parts.copies;
    this.records = parts.records;
    this.#folder = parts.folder;
    this.#inFlight = parts.inFlight;
    this.#backlog = parts.backlog;
  }

  /**
   * The wall clock of one copy, chosen by `random`, is an hour ahead. The engine is removed with the stage. `inFlight`:
   * how many messages may be in the flow at the same time. `copies`: at most three. `backlog`: so many events wait to be
   * read while faults go on.
   */
  static async start({
    startEngine,
    random,
    inFlight,
    copies: count = NAMES.length,
    backlog = BACKLOG,
  }: {
    startEngine: () => Promise<Engine>;
    random: () => number;
    inFlight: number;
    copies?: number | undefined;
    backlog?: number | undefined;
  }): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), "crec-fleet-"));
    const records = new Records(join(folder, "records"));
    const names = NAMES.slice(0, count);
    const ahead = Math.floor(random() * names.length);
    const engine = await startEngine();
    const ends = [() => engine.remove()];
    try {
      const chain = await FleetChain.start();
      ends.push(() => chain.close());
      const copies = await Promise.all(
        names.map(async (name, index) => {
          const clockAheadMs = index === ahead ? HOUR_MS : 0;
          const copy = await Copy.prepare(name, { engine, chain, recordPath: records.path, clockAheadMs });
          ends.push(() => copy.close());
          await copy.start();
          return copy;
        }),
      );
      return new Stage({ engine, chain, copies, records, folder, inFlight, backlog });
    } catch (error) {
      for (const end of ends.reverse()) await end();
      throw error;
    }
  }

  async addEvents(count: number): Promise<void> {
    await this.chain.addEvents(count);
    this.events += count;
  }

  deploy(copy: Copy): Promise<void> {
    return copy.deploy(this.chain, this.#inFlight);
  }

  /** How many events were processed. */
  get done(): number {
    return this.records.done.size;
  }

  /** Adds events where few are left, so that whatever happens next happens to a fleet at work. */
  async keepBusy(): Promise<void> {
    if (this.events - this.done < this.#backlog) await this.addEvents(this.#backlog);
  }

  /** Waits until so many more events are processed. */
  async progress(count: number): Promise<void> {
    await this.keepBusy();
    const goal = this.done + count;
    await this.records.until(() => this.done >= goal || undefined, `${goal} processed events`);
  }

  /** Waits until each event is processed. */
  async drained(timeoutMs: number): Promise<void> {
    await this.records.until(
      () => this.done >= this.events || undefined,
      `the end of all ${this.events} events`,
      timeoutMs,
    );
  }

  /** The highest epoch of all messages up to a time. */
  epochAt(atMs: number): number {
    const before = this.records.all.filter((one) => one.atMs <= atMs);
    return before.reduce((highest, { epoch = 0 }) => Math.max(highest, epoch), 0);
  }

  /** The copy that has sent something within the last lease, and still runs. */
  async reader(): Promise<Copy> {
    const since = this.records.all.at(-1)?.atMs ?? 0;
    const sent = await this.records.sentAfter(since, ({ copy }) => this.#named(copy).isRunning);
    return this.#named(sent.copy);
  }

  async close(): Promise<void> {
    await Promise.all(this.copies.map((copy) => copy.close()));
    await this.chain.close();
    await this.engine.remove();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #named(name: string): Copy {
    const copy = this.copies.find((one) => one.name === name);
    if (copy === undefined) throw new Error(`There is no copy ${name}.`);
    return copy;
  }
}
