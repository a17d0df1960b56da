import should from "should";
import { AlertRule, type AlertSettings, SharedAlertStore } from "../../../src/alerts/index.ts";
import { MemorySharedState, openSharedState, type SharedState } from "../../../src/index.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

const COUNT = { kind: "count", times: 3, withinMs: 60_000 } as const;

function settingsOf(when: AlertSettings["when"]): AlertSettings {
  return {
    when,
    quietMs: 0,
    recovers: false,
    slackMs: 0,
    confirmWithinMs: 600_000,
    maxKeys: 100,
    maxMarks: 100,
  };
}

type Engine = { open: () => Promise<SharedState>; close: () => Promise<void> };

/** What a rule has of each shared state. `start` says how two copies open it. */
function behaviour(start: () => Promise<Engine>): void {
  let engine: Engine;
  let states: [SharedState, SharedState];
  let tests = 0;

  const storeOf = (copy: 0 | 1): SharedAlertStore =>
    new SharedAlertStore({ shared: states[copy], scope: `rule ${tests}`, ttlMs: DAY_MS });
  const ruleOf = (copy: 0 | 1, when: AlertSettings["when"] = COUNT): AlertRule =>
    new AlertRule({ id: "rule", settings: settingsOf(when), store: storeOf(copy), now: () => START + 1_000 });
  const input = (id: number, key = "") => ({ id: `${id}`, key, at: START + id, matches: true });

  before(async () => {
    engine = await start();
    states = [await engine.open(), await engine.open()];
  });
  beforeEach(() => {
    tests += 1;
  });
  after(async () => {
    for (const state of states ?? []) await state.close();
    await engine?.close();
  });

  it("has the keys that a copy has no room for, with their quiet times", async () => {
    const settings = { ...settingsOf({ kind: "each" }), maxKeys: 3, quietMs: DAY_MS };
    const copy = (number: 0 | 1) =>
      new AlertRule({ id: "rule", settings, store: storeOf(number), now: () => START + 1_000 });
    const keys = [...Array(10).keys()];
    const given = async (rule: AlertRule, id: number) => {
      const passed: unknown[] = [];
      for (const key of keys) passed.push((await rule.accept(input(id, `${key}`))).passed);
      return [...new Set(passed)];
    };
    const [first, second] = [copy(0), copy(1)];
    should(await given(first, 1)).deepEqual([undefined]);
    should(await given(second, 1)).deepEqual(["seen"]);
    should(await given(second, 2)).deepEqual(["quiet"]);
    should(await given(first, 3)).deepEqual(["quiet"]);
    should(await given(copy(0), 3)).deepEqual(["seen"]);
  });

  it("has what was written, with its revision", async () => {
    const [first, second] = [storeOf(0), storeOf(1)];
    should(await first.read("a")).be.undefined();
    should(await first.write("a", 0, { n: 1 })).be.true();
    should(await second.write("a", 0, { n: 9 })).be.false();
    // A rule that wrote it counts from 1.
    should(await first.write("a", 1, { n: 2 })).be.true();
    should(await first.write("a", 2, { n: 3 })).be.true();
    const { revision = 0, value } = (await second.read("a")) ?? {};
    should(value).deepEqual({ n: 3 });
    should(await second.write("a", revision, { n: 4 })).be.true();
    should(await first.write("a", 3, { n: 9 })).be.false();
    should((await first.read("a"))?.value).deepEqual({ n: 4 });
    should(await second.write("a", revision + 1, undefined)).be.true();
    should(await first.read("a")).be.undefined();
    should(await first.write("a", 0, undefined)).be.true();
  });

  it("lists its keys, and those of no other rule", async () => {
    const store = storeOf(0);
    for (const key of ["", "=a", "#b"]) await store.write(key, 0, 1);
    tests += 1;
    await storeOf(0).write("=c", 0, 1);
    should((await store.keys()).sort()).deepEqual(["", "#b", "=a"]);
    await store.close();
    should(await storeOf(1).keys()).deepEqual(["=c"]);
  });

  it("raises each alert once, where two copies are given the same inputs at the same moment", async () => {
    const copies = [ruleOf(0), ruleOf(1)];
    const alerts: string[] = [];
    for (let id = 1; id <= 6; id += 1) {
      const given = await Promise.all(copies.map((rule) => rule.accept(input(id))));
      for (const { kind, alert } of given.flatMap(({ outcomes }) => outcomes)) {
        should(kind).equal("alert");
        alerts.push(`${alert.at - START}: ${alert.count}`);
      }
    }
    // Once the third one is there, the window is over the limit, until one leaves it.
    should(new Set(alerts).size).equal(alerts.length);
    should(alerts).containEql("3: 3");
    for (const rule of copies) await rule.close();
  });

  it("continues the window of a copy that is gone", async () => {
    const gone = ruleOf(0);
    should((await gone.accept(input(1, "a"))).passed).equal("counted");
    should((await gone.accept(input(2, "a"))).passed).equal("counted");
    const next = ruleOf(1);
    should((await next.accept(input(2, "a"))).passed).equal("seen");
    const { outcomes } = await next.accept(input(3, "a"));
    should(outcomes.map(({ kind, alert }) => [kind, alert.count])).deepEqual([["alert", 3]]);
    await next.close();
  });

  it("takes back the alert of a copy that is gone", async () => {
    const log = {
      chainSelector: "1",
      transactionHash: `0x${"ab".repeat(32)}`,
      blockNumber: "10",
      logIndex: "0",
      confidence: "latest",
      contract: `0x${"cd".repeat(20)}`,
      content: "a transfer",
      source: "watcher",
    } as const;
    const each = { kind: "each" } as const;
    const [gone, next] = [ruleOf(0, each), ruleOf(1, each)];
    const [raised] = (await gone.accept({ ...input(1), log })).outcomes;
    should(raised?.kind).equal("alert");
    const final = {
      ...log,
      transactionHash: `0x${"12".repeat(32)}`,
      blockNumber: "11",
      confidence: "finalized",
    } as const;
    await next.accept({ ...input(2), matches: false, log: final });
    const told = await next.readUpTo(START + 1_001);
    should(told.map((one) => [one.kind, one.alert.id])).deepEqual([["takenBack", raised?.alert.id]]);
    should(await gone.readUpTo(START + 1_001)).be.empty();
  });
}

describe("alerts of several copies, in memory", () => {
  behaviour(async () => {
    const shared = new MemorySharedState();
    return { open: async () => shared, close: async () => {} };
  });
});

describe("alerts of several copies, in PostgreSQL", function () {
  this.timeout(60_000);
  before(function () {
    if (!hasPostgres()) this.skip();
  });
  behaviour(async () => {
    const server = await PostgresServer.start();
    return { open: () => openSharedState(server.url), close: () => server.remove() };
  });
});

describe("alerts of several copies, in Redis", function () {
  this.timeout(60_000);
  before(function () {
    if (!hasRedis()) this.skip();
  });
  behaviour(async () => {
    const server = await RedisServer.start();
    return { open: () => openSharedState(server.url), close: () => server.remove() };
  });
});
