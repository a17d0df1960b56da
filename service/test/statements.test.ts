import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import should from "should";
import { Channels } from "../src/store/channels.ts";
import { Events } from "../src/store/events.ts";
import { Operations } from "../src/store/operations.ts";
import { Positions } from "../src/store/positions.ts";
import { Queries } from "../src/store/queries.ts";
import { Settings } from "../src/store/settings.ts";
import { Store } from "../src/store/store.ts";
import { Timeline } from "../src/store/timeline.ts";
import { Wallets } from "../src/store/wallets.ts";
import { Watchers } from "../src/store/watchers.ts";
import { temporaryFolder } from "./support.ts";
import { useAll } from "./use-all.ts";

/** Tables that do not grow with what the service does. */
const SMALL = [
  "settings",
  "positions",
  "blocks",
  "counts",
  "timeline",
  "json_each",
  "sqlite_schema",
  "pragma_",
  "(",
  "CONSTANT",
];

/** The keys of one row, or of a limited number of rows, as a query plan prints them. */
const KEYS: Record<string, string[]> = {
  channels: ["channel_id=?", "name=?", "rowid=?"],
  watchers: ["watcher_id=?", "channel_id=? AND name=?", "rowid=?"],
  wallets: ["wallet_id=?", "name=?", "rowid=?"],
  operations: ["operation_id=?", "chain_selector=? AND address=? AND wallet_operation_id=?", "rowid=?"],
  executions: ["operation_id=?", "rowid=?"],
  queries: ["query_id=?", "channel_id=? AND idempotency_key=?", "rowid=?"],
  events: ["event_id=?", "channel_id=? AND offset=?", "channel_id=? AND offset>? AND offset<?"],
  event_values: ["channel_id=? AND kind=? AND value=?"],
  reported: ["watcher_id=? AND block_hash=? AND log_index=? AND confidence=?"],
};

/** Statements that may read more rows, each with what limits it. */
const EXCEPTIONS: Record<string, RegExp> = {
  "operations that are not settled, in order":
    /^SELECT operation_id FROM operations WHERE chain_selector = \? AND settled = \? AND status IN .* ORDER BY sequence/,
  "queries that are not answered, in order":
    /^SELECT query_id FROM queries WHERE status IN .* ORDER BY sequence/,
  "running watchers and wallets that are being deployed: the caller works on all of them":
    /^SELECT \* FROM (watchers|wallets) WHERE chain_selector = \? AND status IN .* ORDER BY sequence LIMIT/,
  "executions that the chain has lost": /FROM executions WHERE chain_selector = \? AND state/,
  "executions in blocks that are replaced": /^UPDATE executions SET state = 'missing'/,
  "watchers that started after the last common block of a reorganization": /^UPDATE watchers SET from_block/,
  "wallets at an address: one a chain":
    /^SELECT (\*|wallet_id) FROM wallets WHERE (chain_selector = \? AND )?lower\(/,
  "the start page's number of events: one row per channel": /^SELECT COALESCE\(SUM\(last_offset/,
  "blocks of events by time: at most 4096": /^SELECT block, oldest, newest FROM event_times .* BETWEEN/,
};

/** The steps of a query plan that get slower as the data grows. */
function complaints(database: DatabaseSync, sql: string, exceptions = EXCEPTIONS): string[] {
  if (Object.values(exceptions).some((pattern) => pattern.test(sql))) return [];
  const [before = "", limit] = sql.split(/ LIMIT (?!.* LIMIT )/);
  const asked = before.split("?").length - 1;
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter((detail) => {
      const [, verb, table = "", by = ""] = /^(SCAN|SEARCH) (\S+)(?:.* \((.*)\))?/.exec(detail) ?? [];
      if (verb === undefined) return detail.startsWith("USE TEMP B-TREE");
      if (SMALL.some((small) => table.startsWith(small))) return false;
      if (verb === "SCAN") return true;
      // With a limit, an index on all the conditions reads only the rows that are returned.
      const isLimited = limit !== undefined && by.split("?").length - 1 >= asked;
      return !isLimited && KEYS[table]?.includes(by) !== true;
    })
    .map((detail) => `${detail}: ${sql}`);
}

/** The statements of triggers, with question marks in place of the row. */
function statementsOfTriggers(database: DatabaseSync): string[] {
  return database
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .flatMap(({ sql }) => /BEGIN\s(.*)END$/s.exec(String(sql))?.[1]?.split(";") ?? [])
    .map((sql) =>
      sql
        .replaceAll(/\b(NEW|OLD)\.\w+/g, "?")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((sql) => sql !== "");
}

/** Records which methods are called. The returned function stops that, and returns those that were not called. */
function noteCalls(part: { name: string; prototype: object }): () => string[] {
  const methods = part.prototype as Record<string, (...values: unknown[]) => unknown>;
  const names = Object.getOwnPropertyNames(methods).filter((name) => name !== "constructor");
  const missing = new Set(names);
  const originals = names.map((name) => [name, methods[name]] as const);
  for (const [name, original] of originals) {
    methods[name] = function (...values) {
      missing.delete(name);
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
  const statements = new Set<string>();
  let notCalled: string[];
  let database: DatabaseSync;

  before(async () => {
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (sql) {
      statements.add(sql.replaceAll(/\s+/g, " ").trim());
      return prepare.call(this, sql);
    };
    const parts = [Channels, Events, Operations, Positions, Queries, Settings, Timeline, Wallets, Watchers];
    const ends = parts.map(noteCalls);
    const store = new Store(folder.path);
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
    for (const sql of statementsOfTriggers(database)) statements.add(sql);
  });
  after(() => {
    database?.close();
    folder.dispose();
  });

  it("are all checked: each method of the store is called", () => {
    should(notCalled).be.empty();
    should(statements.size).be.above(80);
  });

  it("use an index, so that none gets slower as the data grows", () => {
    should([...statements].flatMap((sql) => complaints(database, sql))).be.empty();
  });

  it("are exceptions only where listed", () => {
    for (const [name, pattern] of Object.entries(EXCEPTIONS)) {
      should([...statements].some((sql) => pattern.test(sql))).be.true(name);
      const others = Object.fromEntries(Object.entries(EXCEPTIONS).filter(([other]) => other !== name));
      const found = [...statements].flatMap((sql) => complaints(database, sql, others));
      should(found.length).be.above(0, `no exception is needed for ${name}`);
    }
  });

  it("need each index: without it, one of them scans a table", () => {
    const indexes = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
      .all()
      .map(({ name }) => String(name));
    const usual = [...statements].flatMap((sql) => complaints(database, sql, {}));
    should(indexes.length).be.above(8);
    for (const name of indexes) {
      database.exec(`BEGIN; DROP INDEX ${name}`);
      const found = [...statements].flatMap((sql) => complaints(database, sql, {}));
      database.exec("ROLLBACK");
      should(found.every((complaint) => usual.includes(complaint))).be.false(`nothing needs ${name}`);
    }
  });
});
