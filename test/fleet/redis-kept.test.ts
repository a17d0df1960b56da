import { Redis } from "ioredis";
import should from "should";
import { openSharedState, type SharedState } from "../../src/index.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { A, LONG_MS, passed, stateAt, taken } from "./shared-state-suite.ts";

/** More than one call removes. */
const MANY = 300;

describe("what Redis keeps for a time", function () {
  this.timeout(60_000);

  let started: RedisServer | undefined;
  let admin: Redis;
  let shared: SharedState;
  let namespace: string;
  let tests = 0;

  before(async function () {
    if (!hasRedis()) return this.skip();
    started = await RedisServer.start({ settings: ["--maxmemory-policy", "volatile-lru"] });
    admin = new Redis(started.url);
  });
  beforeEach(async () => {
    tests += 1;
    namespace = `kept_${tests}`;
    shared = await openSharedState(started?.url ?? "", { namespace });
  });
  afterEach(() => shared?.close());
  after(async () => {
    admin?.disconnect();
    await started?.remove();
  });

  const mark = (key: string, ttlMs = LONG_MS) => shared.once({ scope: "s", key, ttlMs });
  const record = (key: string, ttlMs = LONG_MS) =>
    shared.writeRecord({ scope: "s", key, revision: 0, value: 1, ttlMs });
  const ttl = (name: string) => admin.pttl(`{${namespace}}:${name}`);
  const count = async (name: string) => (await admin.keys(`{${namespace}}:${name}`)).length;
  const each = (work: (key: string) => Promise<unknown>, times = MANY) =>
    Promise.all(Array.from({ length: times }, (_, index) => work(`${index}`)));

  /** Fills the memory with what is not ours, of which Redis evicts all it can. */
  async function fill(): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(await admin.info("memory"))?.[1]);
    const text = "x".repeat(10_000);
    await admin.config("SET", "maxmemory", String(used + 500_000));
    for (let index = 0; index < 100; index += 1)
      await admin.set(`other ${index}`, text, "PX", LONG_MS).catch(() => {});
  }

  it("is not evicted with volatile-lru", async () => {
    await each(mark);
    await each(record, 50);
    await fill();
    try {
      should(Number(/evicted_keys:(\d+)/.exec(await admin.info("stats"))?.[1])).be.above(0);
      await admin.config("SET", "maxmemory", "1");
      await admin.set("another", "x").catch(() => {});
      should(await count("once:*")).equal(MANY);
      should(await shared.recordKeys("s", MANY)).have.length(50);
    } finally {
      await admin.config("SET", "maxmemory", "0");
    }
    const answers = new Set(await each(mark));
    should([...answers]).deepEqual(["seen"]);
  });

  it("has no time to live, except for who is alive", async () => {
    const { epoch } = await taken(shared, "key", A);
    await shared.save("key", epoch, stateAt(1), LONG_MS);
    await mark("k");
    await shared.members({ copy: A, group: "g", leaseMs: LONG_MS, held: [], wanted: [] });
    await record("k");
    for (const name of ["lease:key", 'once:["s","k"]', 'record:["s","k"]', "records:s", "kept"])
      should(await ttl(name)).equal(-1, name);
    should(await ttl("members:g")).be.within(1, 86_400_000);
  });

  it("is removed once it is over, a few at a time, whatever is written next", async () => {
    for (let index = 0; index < 50; index += 1) {
      await mark(`${index}`);
      await record(`${index}`);
    }
    const kept = `{${namespace}}:kept`;
    const list = `{${namespace}}:records:s`;
    for (const set of [kept, list])
      for (const member of await admin.zrange(set, "0", "-1")) await admin.zadd(set, 1, member);
    await mark("long");
    should(await admin.zcard(kept)).equal(101 - 20 + 1);
    for (let index = 0; index < 5; index += 1) await record(`long ${index}`);
    should([await count("once:*"), await count("record:*")]).deepEqual([1, 5]);
    should([await admin.zcard(kept), await admin.zcard(list)]).deepEqual([7, 5]);
  });

  it("needs no more memory, however many marks and records there were", async () => {
    for (let round = 0; round < 10; round += 1) {
      await each((key) => mark(`${round} ${key}`, 1));
      await each((key) => record(`${round} ${key}`, 1), 20);
    }
    await passed(shared, 5);
    await each(() => mark("last"), 30);
    should(await admin.zcard(`{${namespace}}:kept`)).be.below(50);
    should(await count("*")).be.below(50);
  });

  it("is removed with its list where nobody writes into its scope again", async () => {
    await record("k", 1);
    await passed(shared, 5);
    await mark("k");
    should(await count("record*")).equal(0);
  });

  it("is forgotten in time also where it was not yet removed", async () => {
    const scope = "s";
    await shared.once({ scope, key: "k", ttlMs: 60, delivery: { id: "1", redelivered: false } });
    const revision = (await record("k", 60)) ?? 0;
    // More than a call removes, and all of it before these.
    await each((key) => mark(`short ${key}`, 1), 100);
    await passed(shared, 70);
    should(await shared.readRecord(scope, "k")).be.undefined();
    should(await shared.recordKeys(scope, 10)).be.empty();
    should(await mark("k")).equal("new");
    should(await shared.writeRecord({ scope, key: "k", revision, value: 2, ttlMs: 1 })).be.undefined();
    should(await record("k")).be.above(revision);
  });

  describe("with copies of an earlier version", () => {
    const known = (text: string, ms: number, key = "k") =>
      admin.set(`{${namespace}}:once:["s","${key}"]`, text, "PX", ms);
    const old = async (key: string, ms: number): Promise<void> => {
      await admin.hset(`{${namespace}}:record:["s","${key}"]`, { revision: "7", text: "1" });
      await admin.pexpire(`{${namespace}}:record:["s","${key}"]`, ms);
      await admin.zadd(`{${namespace}}:records:s`, Date.now() + ms, JSON.stringify([key, ""]));
      await admin.pexpire(`{${namespace}}:records:s`, ms);
    };

    it("takes the time to live from what it meets, and forgets it as they would", async () => {
      const until = Date.now() + LONG_MS;
      await known("1", LONG_MS);
      await old("k", LONG_MS);
      should(await shared.readRecord("s", "k")).deepEqual({ revision: 7, value: 1 });
      should(await shared.recordKeys("s", 10)).deepEqual(["k"]);
      for (const name of ['record:["s","k"]', "records:s"]) should(await ttl(name)).equal(-1, name);
      const kept = await admin.zrange(`{${namespace}}:kept`, "0", "-1", "WITHSCORES");
      should(Number(kept.at(-1))).be.within(until, Date.now() + LONG_MS);

      await known("1", 200, "short");
      await old("short", 200);
      await shared.readRecord("s", "short");
      await passed(shared, 210);
      should(await shared.readRecord("s", "short")).be.undefined();
      should(await mark("short")).equal("new");
      should(await ttl('once:["s","short"]')).equal(-1);
    });

    it("knows their marks, and leaves them what they can read", async () => {
      const delivery = (redelivered: boolean) => ({ id: "1", redelivered });
      await known("1\ndigest", LONG_MS);
      const again = { scope: "s", key: "k", ttlMs: LONG_MS, digest: "digest" };
      should(await shared.once({ ...again, delivery: delivery(false) })).equal("seen");
      should(await shared.once({ ...again, delivery: delivery(true) })).equal("new");
      should(await admin.get(`{${namespace}}:once:["s","k"]`)).equal("1\ndigest");
      should(await ttl('once:["s","k"]')).equal(-1);
    });

    it("keeps what they have seen again for as long as they say", async () => {
      await mark("k", 1);
      await record("k", 1);
      await known("", LONG_MS);
      await old("k", LONG_MS);
      await passed(shared, 5);
      await mark("another");
      should(await mark("k")).equal("seen");
      should(await shared.readRecord("s", "k")).deepEqual({ revision: 7, value: 1 });
    });

    it("keeps the list of a scope as long as its longest record", async () => {
      await old("long", LONG_MS);
      await record("short", 1);
      await passed(shared, 5);
      await mark("another");
      should(await shared.recordKeys("s", 10)).deepEqual(["long"]);
    });
  });
});
