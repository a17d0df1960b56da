import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import should from "should";
import { Executions, Positions } from "../src/store/chain-progress.ts";
import { Channels } from "../src/store/channels.ts";
import { Events } from "../src/store/events/events.ts";
import { Operations } from "../src/store/operations.ts";
import { Queries } from "../src/store/queries.ts";
import { Settings } from "../src/store/settings.ts";
import { Store } from "../src/store/store.ts";
import { Timeline } from "../src/store/timeline.ts";
import { Wallets } from "../src/store/wallets.ts";
import { Watchers } from "../src/store/watchers.ts";
import { temporaryFolder } from "./support.ts";
import { useAll } from "./use-all.ts";

const PARTS = [
  ...[Channels, Events, Executions, Operations, Positions, Queries, Settings, Timeline, Wallets, Watchers],
];

/** The keys of one row as SQLite's query plan has them, by table. Places of `events` between two offsets are a page. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  settings: ["key=?"],
  positions: ["chain_selector=? AND confidence=?"],
  channels: ["channel_id=?", "name=?", "rowid=?"],
  watchers: ["watcher_id=?", "channel_id=? AND name=?", "rowid=?"],
  wallets: ["wallet_id=?", "name=?", "rowid=?"],
  operations: ["operation_id=?", "chain_selector=? AND address=? AND wallet_operation_id=?", "rowid=?"],
  executions: ["operation_id=?", "rowid=?"],
  queries: ["query_id=?", "channel_id=? AND idempotency_key=?", "rowid=?"],
  events: ["event_id=?", "channel_id=? AND offset=?", "channel_id=? AND offset>? AND offset<?"],
  event_values: ["channel_id=? AND kind=? AND value=?"],
  event_seconds: ["channel_id=? AND block=?"],
  reported: ["watcher_id=? AND block_hash=? AND log_index=? AND confidence=?"],
};

/** All steps that read more than one row, by the method that takes them. What limits the rows is above them. */
const OF_MORE_ROWS: Readonly<Record<string, readonly string[]>> = {
  // A page: its statement ends after as many rows as it returns.
  "Channels.list": ["SEARCH channels USING COVERING INDEX channels_by_status (status=? AND rowid>?)"],
  // The last one.
  "Events.append": ["SEARCH event_block_times USING PRIMARY KEY (channel_id=?)"],
  "Events.poll": [
    "SEARCH event_blocks USING PRIMARY KEY (value_id=? AND block<?)",
    "SEARCH event_blocks USING PRIMARY KEY (value_id=? AND block>?)",
  ],
  "Operations.list": [
    "SEARCH operations USING COVERING INDEX operations_of_channel (channel_id=? AND status=? AND rowid<?)",
    "SEARCH operations USING COVERING INDEX operations_of_wallet (channel_id=? AND wallet_id=? AND rowid<?)",
    // One wallet a chain.
    "SEARCH wallets USING INDEX wallets_by_address (<expr>=?)",
  ],
  "Queries.list": [
    "SEARCH queries USING COVERING INDEX queries_of_channel (channel_id=? AND status=? AND rowid<?)",
  ],
  "Wallets.list": [
    "SEARCH wallets USING COVERING INDEX wallets_by_address (<expr>=? AND rowid>?)",
    "SEARCH wallets USING COVERING INDEX wallets_by_status (status=? AND rowid>?)",
  ],
  "Watchers.list": [
    "SEARCH watchers USING COVERING INDEX watchers_of_channel (channel_id=? AND status=? AND rowid>?)",
  ],
  "Operations.overdue": [
    "SEARCH operations USING INDEX operations_by_deadline (status=? AND deadline>? AND deadline<?)",
  ],
  "Queries.overdue": ["SEARCH queries USING INDEX queries_by_expiry (status=? AND expires_at<?)"],
  "Executions.gone": ["SEARCH executions USING INDEX executions_gone (chain_selector=?)"],
  "Executions.missing": ["SEARCH executions USING INDEX executions_missing (chain_selector=?)"],
  // It ends at the first one.
  "Watchers.anyRunning": [
    "SEARCH watchers USING COVERING INDEX watchers_of_channel (channel_id=? AND status=?)",
  ],
  // One wallet a chain.
  "Wallets.atAddress": ["SEARCH wallets USING INDEX wallets_by_address (<expr>=?)"],
  // The service works on all of them.
  "Operations.unsettled": [
    "SEARCH operations USING INDEX operations_by_progress (status=? AND settled=?)",
    "USE TEMP B-TREE FOR ORDER BY",
  ],
  "Queries.withStatus": [
    "SEARCH queries USING INDEX queries_by_expiry (status=?)",
    "USE TEMP B-TREE FOR ORDER BY",
  ],
  "Wallets.withStatus": ["SEARCH wallets USING INDEX wallets_by_status (status=?)"],
  "Watchers.withStatus": [
    "SEARCH watchers USING INDEX watchers_by_status (status=?)",
    "USE TEMP B-TREE FOR ORDER BY",
  ],
  // What a reorganization has replaced.
  "Executions.lost": [
    "SEARCH executions USING COVERING INDEX executions_gone (chain_selector=?)",
    "SEARCH executions USING COVERING INDEX executions_missing (chain_selector=?)",
  ],
  "Executions.setMissingAfter": [
    "SEARCH executions USING INDEX executions_there (chain_selector=? AND block>?)",
  ],
  "Watchers.rewind": ["SEARCH watchers USING INDEX watchers_by_from_block (from_block>?)"],
  "Events.search": ["SEARCH event_block_times USING PRIMARY KEY (channel_id=? AND block>?)"],
  // Tables that do not grow: the last blocks, a row for each status and each channel, the last notices of the start page.
  "Positions.blocks": ["SEARCH blocks USING PRIMARY KEY (chain_selector=?)"],
  "Positions.forgetAbove": ["SEARCH blocks USING PRIMARY KEY (chain_selector=? AND number>?)"],
  "Positions.forgetBelow": ["SEARCH blocks USING PRIMARY KEY (chain_selector=? AND number<?)"],
  "Store.counts": ["SCAN channels", "SCAN counts"],
  "Timeline.add": ["SEARCH timeline USING INTEGER PRIMARY KEY (rowid<?)"],
  "Timeline.after": ["SEARCH timeline USING INTEGER PRIMARY KEY (rowid>?)"],
  "Timeline.newest": ["SCAN timeline"],
  "Timeline.range": ["SEARCH timeline"],
  "new Store": ["SCAN channels"],
};

/** What may be gone through from an end: as above. */
const SHORT = ["counts", "timeline", "channels"];

/** A statement, and the method of the store that prepared it. */
type Statement = { sql: string; by: string };

/** Of all that is in the database: by name, and by the number of its first page. */
type Names = { tables: ReadonlySet<string>; byRoot: ReadonlyMap<number, string> };

/** The steps of its plan that read more than one row. */
function ofMoreRows(database: DatabaseSync, { sql }: Statement, { tables }: Names): string[] {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return plan
    .map(({ detail }) => String(detail))
    .filter((detail) => {
      if (detail.startsWith("USE TEMP B-TREE")) return true;
      const [verb = "", table = ""] = detail.split(" ");
      if (!["SCAN", "SEARCH"].includes(verb) || !tables.has(table)) return false;
      return KEYS[table]?.some((key) => detail.includes(` (${key})`)) !== true;
    });
}

/**
 * The tables through which it goes from an end, as its program says, and those of which a trigger of it reads more than one
 * row: a query plan has no triggers.
 */
function walked(database: DatabaseSync, { sql }: Statement, { byRoot }: Names): string[] {
  const found: string[] = [];
  const cursors = new Map<unknown, string | undefined>();
  let programs = 0;
  for (const { addr, opcode, p1, p2 } of database.prepare(`EXPLAIN ${sql}`).all()) {
    // A trigger has a program of its own.
    if (addr === 0) {
      cursors.clear();
      programs += 1;
    }
    if (opcode === "OpenRead" || opcode === "OpenWrite") cursors.set(p1, byRoot.get(Number(p2)));
    if (opcode === "OpenEphemeral" || opcode === "OpenPseudo" || opcode === "SorterOpen") cursors.delete(p1);
    const name = cursors.get(p1);
    const ends = programs > 1 ? ["Rewind", "Last", "Next", "Prev"] : ["Rewind", "Last"];
    if (name !== undefined && ends.includes(String(opcode))) found.push(name);
  }
  return found;
}

/** Notes which method runs, and which were called. The returned function stops that, and returns those that were not. */
function noteCalls(part: { name: string; prototype: object }, note: (name: string) => void): () => string[] {
  const methods = part.prototype as Record<string, (...values: unknown[]) => unknown>;
  const named = Object.entries(Object.getOwnPropertyDescriptors(methods)).filter(
    ([name, { value }]) => typeof value === "function" && name !== "constructor",
  );
  const originals = named.map(([name]) => [name, methods[name]] as const);
  const missing = new Set(originals.map(([name]) => name));
  for (const [name, original] of originals) {
    methods[name] = function (...values) {
      missing.delete(name);
      note(`${part.name}.${name}`);
      return original?.apply(this, values);
    };
  }
  return () => {
    Object.assign(methods, Object.fromEntries(originals));
    return [...missing].map((name) => `${part.name}.${name}`);
  };
}

describe("statements of the store", () => {
  const folder = temporaryFolder();
  /** By their text, so that each is there once. */
  const statements = new Map<string, Statement>();
  let notCalled: string[];
  let database: DatabaseSync;

  before(async () => {
    const { prepare } = DatabaseSync.prototype;
    let by = "new Store";
    DatabaseSync.prototype.prepare = function (sql) {
      if (!statements.has(sql)) statements.set(sql, { sql, by });
      return prepare.call(this, sql);
    };
    const store = new Store(folder.path);
    const ends = [...PARTS, Store].map((part) =>
      noteCalls(part, (name) => {
        by = name;
      }),
    );
    try {
      await useAll(store);
    } finally {
      notCalled = ends.flatMap((end) => end());
      DatabaseSync.prototype.prepare = prepare;
      store.close();
    }
    // A new connection, since the other one caches its statements.
    database = new DatabaseSync(join(folder.path, "service.sqlite"));
    database.function("fold", (text) => text);
  });
  after(() => {
    database?.close();
    folder.dispose();
  });

  const names = (): Names => {
    const all = database.prepare("SELECT type, name, tbl_name, rootpage FROM sqlite_schema").all();
    return {
      tables: new Set(all.filter(({ type }) => type === "table").map(({ name }) => String(name))),
      byRoot: new Map(all.map(({ rootpage, tbl_name }) => [Number(rootpage), String(tbl_name)])),
    };
  };
  /** Each step of more than one row, by method. */
  const found = (): Record<string, string[]> => {
    const known = names();
    const steps = new Map<string, Set<string>>();
    for (const statement of statements.values())
      for (const step of ofMoreRows(database, statement, known))
        steps.set(statement.by, (steps.get(statement.by) ?? new Set()).add(step));
    return Object.fromEntries([...steps].map(([by, all]) => [by, [...all].sort()]));
  };

  it("are all checked: each method of the store is called", () => {
    should(notCalled).deepEqual(["Store.close"]);
    should(statements.size).be.above(80);
  });

  it("read more than one row only where something limits the rows, so that none gets slower as the data grows", () => {
    should(found()).deepEqual(OF_MORE_ROWS);
  });

  it("go through no table that grows from its start, and have no trigger that reads more than one row", () => {
    const known = names();
    // At the start, a small database is checked as a whole.
    const later = [...statements.values()].filter(({ by }) => by !== "new Store");
    const long = later.flatMap((statement) =>
      walked(database, statement, known)
        .filter((name) => !SHORT.includes(name))
        .map((name) => `${statement.by}: ${name}`),
    );
    should(long).be.empty();
  });

  it("need each index: without it, one of them reads more", () => {
    const indexes = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
      .all()
      .map(({ name }) => String(name));
    should(indexes.length).be.above(8);
    for (const name of indexes) {
      database.exec(`BEGIN; DROP INDEX ${name}`);
      const without = found();
      database.exec("ROLLBACK");
      should(without).not.deepEqual(OF_MORE_ROWS, `nothing needs ${name}`);
    }
  });
});
