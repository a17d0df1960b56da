import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import should from "should";
import { OPERATION_STATUSES } from "../../src/protocol/index.ts";
import { Channels } from "../src/store/channels.ts";
import { Events } from "../src/store/events.ts";
import { Operations } from "../src/store/operations.ts";
import { Positions } from "../src/store/positions.ts";
import { Queries } from "../src/store/queries.ts";
import { Settings } from "../src/store/settings.ts";
import { Store } from "../src/store/store.ts";
import { type StoredWallet, Wallets } from "../src/store/wallets.ts";
import { Watchers } from "../src/store/watchers.ts";
import { temporaryFolder } from "./support.ts";

/** Tables that do not grow with what the service does. */
const SMALL = [
  "settings",
  "positions",
  "blocks",
  "counts",
  "json_each",
  "sqlite_schema",
  "pragma_",
  "(",
  "CONSTANT",
];

/** What names one row, or a stated number of rows, as a plan says it. */
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

/** Statements that may go on for longer, and what bounds each. */
const EXCEPTIONS: Record<string, RegExp> = {
  "operations under way, in order: what has ended is not among them":
    /^SELECT operation_id FROM operations WHERE chain_selector = \? AND settled = \? AND status IN .* ORDER BY sequence/,
  "queries under way, in order: what has ended is not among them":
    /^SELECT query_id FROM queries WHERE status IN .* ORDER BY sequence/,
  "watchers that run and wallets on their way, all of which the caller goes through":
    /^SELECT \* FROM (watchers|wallets) WHERE chain_selector = \? AND status IN .* ORDER BY sequence LIMIT/,
  "what a chain that went back has lost": /FROM executions WHERE chain_selector = \? AND state/,
  "executions in blocks that are replaced": /^UPDATE executions SET state = 'missing'/,
  "watchers that began after the block to which a chain went back": /^UPDATE watchers SET from_block/,
  "wallets at an address: one a chain":
    /^SELECT (\*|wallet_id) FROM wallets WHERE (chain_selector = \? AND )?lower\(/,
  "the start page's number of events: one row a channel": /^SELECT COALESCE\(SUM\(last_offset/,
  "blocks of events by time: at most 4096": /^SELECT block, oldest, newest FROM event_times .* BETWEEN/,
};

const UUID = "00000000-0000-4000-8000-000000000000";
const ADDRESS = `0x${"ab".repeat(20)}` as const;
const WALLET: StoredWallet = {
  walletId: "wallet",
  name: "wallet",
  address: ADDRESS,
  owner: ADDRESS,
  chainSelector: "1",
  type: "ecdsa",
  status: "deployed",
  ecdsaSigners: [],
  rsaSigners: [],
  wasDeployed: false,
  createdAt: 1,
};
const SENT = { raw: "0x01", hash: "0x02" } as const;
const PAGE = { limit: 2, offset: 1 };

/** Does all that the store can do, with each filter there is. */
async function useAll(store: Store): Promise<void> {
  const { channels, watchers, wallets, operations, queries, events, settings } = store;
  const positions = store.positions("1");
  const channel = channels.create({ name: "channel" });
  const channelId = channel.channel_id;
  channels.get(channelId);
  channels.named("channel");
  channels.update(channel);
  for (const filter of [{}, { name: "a" }, { status: ["active", "archived"] }, { absent: ["a"] }]) {
    await channels.list({ ...filter, ...PAGE });
  }
  const watcherId = watchers.create({
    channel_id: channelId,
    name: "watcher",
    chain_selector: "1",
    address: ADDRESS,
    events: ["Transfer"],
    abi: [],
  });
  watchers.get(watcherId);
  watchers.named(channelId, "watcher");
  watchers.withStatus("1", "active", "archiving");
  watchers.anyRunning(channelId);
  watchers.rename(watcherId, "renamed");
  watchers.setStatus(watcherId, "active");
  watchers.setFromBlock(watcherId, 1);
  watchers.rewind("1", 0);
  const ofWatchers = { name: "a", status: ["failed"], chainSelector: "1", address: ADDRESS, service: ["a"] };
  for (const filter of each({ ...ofWatchers, eventName: "Transfer" })) {
    await watchers.list({ channelId, ...filter, ...PAGE });
  }
  wallets.create(WALLET);
  wallets.get("wallet");
  wallets.atAddress("1", ADDRESS);
  wallets.named("wallet");
  wallets.withStatus("1", "pending");
  wallets.describe("wallet", "renamed", undefined);
  wallets.setStatus("wallet", "deploying");
  wallets.setSent("wallet", SENT);
  const ofWallets = { name: "a", status: ["failed"], chainSelector: "1", owner: ADDRESS, address: ADDRESS };
  for (const filter of each({ ...ofWallets, type: "ecdsa" })) await wallets.list({ ...filter, ...PAGE });
  operations.create({
    operation_id: "operation",
    channelId,
    walletId: "wallet",
    status: "accepted",
    chain_selector: "1",
    address: ADDRESS,
    wallet_operation_id: "1",
    deadline: 1,
    signature: null,
    digest: "0x",
    transactions: [],
    initiator: { subject_type: "user", subject_id: "one" },
  });
  operations.get("operation");
  operations.isTaken("1", ADDRESS, "1");
  operations.unsettled("1", ...OPERATION_STATUSES);
  operations.setSettled("operation");
  const executions = store.executions("1");
  executions.setThere("operation", 1);
  executions.setMissingAfter(0);
  executions.missing(10);
  executions.setGone("operation", "reason");
  executions.gone(5);
  executions.lost();
  operations.overdue(5, "accepted");
  operations.setSent("operation", SENT);
  operations.setStatus("operation", "sending");
  operations.setStatus("operation", "cancelled", { cancelled_at: 1 });
  const ofOperations = {
    status: ["sent", "failed"],
    chainSelector: "1",
    address: ADDRESS,
    walletId: "wallet",
  };
  for (const filter of each({ ...ofOperations, subjects: { "signer ->> '$.subject_id'": "one" } })) {
    await operations.list({ channelId, ...filter, ...PAGE });
  }
  queries.create({
    query_id: "query",
    channel_id: channelId,
    idempotencyKey: "key",
    query_kind: "evm_call",
    chain_selector: "1",
    params: {
      contract_address: ADDRESS,
      from_address: ADDRESS,
      call_data: "0x",
      block_selection: { type: "latest" },
    },
    metadata: undefined,
    expiresAt: 5,
  });
  queries.get("query");
  queries.withKey(channelId, "key");
  queries.withStatus("accepted", "sending");
  queries.overdue(5, "accepted");
  queries.setStatus("query", "sent");
  queries.setResult("query", { text: "", hash: "0x", proof: { alg: "" } as never });
  for (const filter of each({ status: ["sent", "failed"], queryKind: ["evm_call"], chainSelector: "1" })) {
    await queries.list({ channelId, ...filter, ...PAGE });
  }
  events.onAppend(() => {});
  for (const text of ["", "", "", "x".repeat(5_000_000)]) {
    const payload = { status: "active", watcher_id: text === "" ? "w" : "v", operation_id: "o", text };
    events.append({ channelId, type: "watcher.status", payload });
    events.append({ channelId, type: "watcher.event", payload: {}, found: { address: ADDRESS } });
  }
  events.get(channelId, UUID);
  for (const offset of [undefined, 1]) {
    for (const type of [undefined, "watcher.status"]) {
      await events.poll(channelId, { limit: 3, ...(offset && { offset }), ...(type && { type }) });
    }
  }
  const lists = { type: ["watcher.status", "watcher.event"], chain_selector: ["1"], service: ["erc20"] };
  const ids = { wallet_id: "a", operation_id: "o", wallet_operation_id: "1", query_id: "q" };
  const values = { status: ["active"], address: [ADDRESS], watcher_id: "w", event_name: "a" };
  for (const created of [{}, { gt: 1 }, { lt: 2 }, { gte: 1, lte: Math.floor(Date.now() / 1000) - 5 }]) {
    for (const filter of each({ ...lists, ...ids, ...values })) {
      await events.search(channelId, { ...filter, created }, { limit: 3, offset: 0 });
    }
  }
  settings.get("key");
  settings.set("key", 1);
  positions.get("latest");
  positions.set("latest", 1);
  positions.remember({ number: 1, hash: "0x" });
  positions.blocks();
  positions.forgetAbove(1);
  positions.forgetBelow(1);
  positions.isReported("w", "0x", 1, "latest");
  positions.report("w", "0x", 1, "latest");
  store.counts();
}

/** Without a filter, with each one, with each two of them, and with all. */
function each<T extends object>(filters: T): Array<Partial<T>> {
  const entries = Object.entries(filters);
  const pairs = entries.flatMap((one, index) => entries.slice(index + 1).map((other) => [one, other]));
  const sets = [[], ...entries.map((one) => [one]), ...pairs, entries];
  return sets.map((set) => Object.fromEntries(set) as Partial<T>);
}

/** What in the plan of a statement takes longer the more there is. */
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
      // As many rows as asked for, where the index knows all that is asked.
      const isLimited = limit !== undefined && by.split("?").length - 1 >= asked;
      return !isLimited && KEYS[table]?.includes(by) !== true;
    })
    .map((detail) => `${detail}: ${sql}`);
}

/** What triggers do, with question marks for what they are told. */
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

/** Notes the methods that are called; the function that is returned ends it and gives those that were not. */
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
    const parts = [Channels, Events, Operations, Positions, Queries, Settings, Wallets, Watchers];
    const ends = parts.map(noteCalls);
    const store = new Store(folder.path);
    try {
      await useAll(store);
    } finally {
      notCalled = ends.flatMap((end) => end());
      DatabaseSync.prototype.prepare = prepare;
      store.close();
    }
    // One that keeps no plans.
    database = new DatabaseSync(join(folder.path, "service.sqlite"));
    database.function("fold", (text) => text);
    for (const sql of statementsOfTriggers(database)) statements.add(sql);
  });
  after(() => {
    database?.close();
    folder.dispose();
  });

  it("are all looked at: each method of each part of the store is called", () => {
    should(notCalled).be.empty();
    should(statements.size).be.above(80);
  });

  it("go by an index, so that none takes the longer the more there is", () => {
    should([...statements].flatMap((sql) => complaints(database, sql))).be.empty();
  });

  it("are exceptions only as named", () => {
    for (const [name, pattern] of Object.entries(EXCEPTIONS)) {
      should([...statements].some((sql) => pattern.test(sql))).be.true(name);
      const others = Object.fromEntries(Object.entries(EXCEPTIONS).filter(([other]) => other !== name));
      const found = [...statements].flatMap((sql) => complaints(database, sql, others));
      should(found.length).be.above(0, `no exception is needed for ${name}`);
    }
  });

  it("need each index: without it, one of them is found to read a whole table", () => {
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
