import type { DatabaseSync } from "node:sqlite";
import type { Log } from "../log.ts";
import { Executions, Positions } from "./chain-progress.ts";
import { Channels } from "./channels.ts";
import { openDatabase } from "./database.ts";
import { Events } from "./events/events.ts";
import { Operations } from "./operations.ts";
import { Queries } from "./queries.ts";
import { transaction } from "./rows.ts";
import type { COUNTED_TABLES } from "./schema.ts";
import { Ids, Settings } from "./settings.ts";
import { Timeline } from "./timeline.ts";
import { Wallets } from "./wallets.ts";
import { Watchers } from "./watchers.ts";
import { Yielder } from "./yielder.ts";

/** All data of the service, on disk. Committed data survives a kill. */
export class Store {
  readonly dataDir: string;
  readonly settings: Settings;
  readonly ids: Ids;
  readonly channels: Channels;
  readonly watchers: Watchers;
  readonly events: Events;
  readonly wallets: Wallets;
  readonly operations: Operations;
  readonly queries: Queries;
  readonly timeline: Timeline;
  readonly #database: DatabaseSync;

  /**
   * `yielder` splits long reading into slices. With a `seed`, ids are the same in the same order.
   *
   * @throws ServiceProblem when the data directory cannot be used or another service holds it.
   */
  constructor(dataDir: string, options: { log?: Log; yielder?: Yielder; seed?: number | undefined } = {}) {
    const { yielder = new Yielder(), seed } = options;
    this.dataDir = dataDir;
    this.#database = openDatabase(dataDir, options.log);
    this.settings = new Settings(this.#database);
    this.ids = new Ids(this.#database, seed);
    const shared = { database: this.#database, yielder, ids: this.ids };
    this.channels = new Channels(shared);
    this.watchers = new Watchers(shared);
    this.events = new Events(shared);
    this.wallets = new Wallets(shared);
    this.operations = new Operations(shared);
    this.queries = new Queries(shared);
    this.timeline = new Timeline(this.#database, this.settings);
  }

  positions(chainSelector: string): Positions {
    return new Positions(this.#database, chainSelector);
  }

  executions(chainSelector: string): Executions {
    return new Executions(this.#database, chainSelector);
  }

  counts(): Counts {
    return countAll(this.#database);
  }

  /** Keeps all writes of `work`, or none. */
  transaction<T>(work: () => T): T {
    return transaction(this.#database, work);
  }

  close(): void {
    this.#database.close();
  }
}

type Kind = (typeof COUNTED_TABLES)[number];

/** The number of resources of each kind by status, and of events. */
type Counts = Record<Kind, Record<string, number>> & { events: number };

/** Counts everything in the store. Triggers keep the numbers, since counting rows gets slower as they grow. */
function countAll(database: DatabaseSync): Counts {
  const counts: Counts = { channels: {}, watchers: {}, wallets: {}, operations: {}, queries: {}, events: 0 };
  for (const { kind, status, count } of database.prepare("SELECT kind, status, count FROM counts").all()) {
    if (Number(count) > 0) counts[kind as Kind][String(status)] = Number(count);
  }
  return { ...counts, events: countEvents(database) };
}

/** Offsets have no gaps: the last one of a channel is its number of events. */
function countEvents(database: DatabaseSync): number {
  const row = database.prepare("SELECT COALESCE(SUM(last_offset), 0) AS count FROM channels").get();
  return Number(row?.count ?? 0);
}
