import { Redis } from "ioredis";
import should from "should";
import { openSharedState, SharedCursorDamagedError } from "../../src/index.ts";
import { selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { failure, faults } from "./shared-state-faults.ts";
import { modelTests } from "./shared-state-model.ts";
import { A, B, behaviour, LONG_MS, type Open, pastTime, stateAt, taken } from "./shared-state-suite.ts";

describe("shared state in Redis", function () {
  this.timeout(60_000);

  let started: RedisServer | undefined;
  let admin: Redis;
  const server = (): RedisServer => {
    if (started === undefined) throw new Error("The server is there once the tests run.");
    return started;
  };
  const open: Open = (namespace) => openSharedState(server().url, { namespace });

  before(async function () {
    if (!hasRedis()) return this.skip();
    started = await RedisServer.start();
    admin = new Redis(started.url);
    // It connects again by itself after a restart.
    admin.on("error", () => {});
  });
  after(async () => {
    admin?.disconnect();
    await started?.remove();
  });

  behaviour(open);
  modelTests(open);
  faults(server);

  it("says where it is, without the password", async () => {
    const shared = await open();
    should(shared.label).equal(`Redis at 127.0.0.1:${server().port}`);
    await shared.close();
  });

  it("goes on with what another program wrote among its members and leases", async () => {
    const shared = await open("foreign");
    const name = "x".repeat(100_000);
    const ends = String(Date.now() + LONG_MS);
    for (const member of ["garbage", "1", "null", "[1,2]", JSON.stringify(["b", name])])
      await admin.zadd("{foreign}:members:g", ends, member);
    await admin.hset("{foreign}:lease:key", { id: "b", name, epoch: "7", renewed: "1", ends });
    const wanted = ["key"];
    const found = await shared.members({ copy: A, group: "g", leaseMs: LONG_MS, held: [], wanted });
    should(found.copies.map(({ id }) => id)).deepEqual([A.id, "b"].sort());
    for (const copy of [...found.copies, found.holders.get("key")?.copy])
      should(copy?.name.length).be.within(1, 200);
    await shared.close();
  });

  it("says that a record is damaged", async () => {
    const shared = await open("torn");
    await shared.writeRecord({ scope: "s", key: "k", revision: 0, value: 1, ttlMs: LONG_MS });
    await admin.hset('{torn}:record:["s","k"]', "text", "{");
    const error = await failure(shared.readRecord("s", "k"), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_RECORD_DAMAGED", false]);
    await shared.close();
  });

  it("removes members that are gone", async () => {
    const shared = await open("leaves");
    const present = (id: string, leaseMs: number) =>
      shared.members({ copy: { id, name: "" }, group: "g", leaseMs, held: [], wanted: [] });
    for (let index = 0; index < 30; index += 1) await present(`gone ${index}`, 1);
    // Each call removes a few, and the last one may have a millisecond left.
    const listed = async () => {
      await present("here", LONG_MS);
      return admin.zcard("{leaves}:members:g");
    };
    await eventually("a list of those that are here", listed, (members) => members === 1);
    await shared.close();
  });

  it("does not work with keys of a newer version", async () => {
    const shared = await open("newer");
    await taken(shared, "key", A);
    await admin.set("{newer}:version", "2");
    const other = await open("newer");
    const error = await failure(other.take("key", B, LONG_MS), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_STATE_NEWER", false]);
    await Promise.all([shared.close(), other.close()]);
  });

  it("says that a cursor is damaged, and lets it be replaced", async () => {
    const shared = await open("damaged");
    await taken(shared, "key", A);
    await admin.hset("{damaged}:lease:key", "state", "{");
    const error = await failure(shared.take("key", A, LONG_MS), server());
    should(error).be.instanceOf(SharedCursorDamagedError);
    const held = (error as SharedCursorDamagedError).epoch;
    should(await shared.save("key", held, stateAt(2), LONG_MS)).be.true();
    should((await taken(shared, "key", A)).state).deepEqual(stateAt(2));
    await shared.close();
  });

  it("raises the epoch even where the server lost everything", async () => {
    const shared = await open("lost");
    const { epoch } = await taken(shared, "key", A);
    // It goes on with the time, in milliseconds.
    await pastTime(epoch);
    await admin.flushall();
    should((await taken(shared, "key", B)).epoch).be.above(epoch);
    should(await shared.save("key", epoch, stateAt(1), LONG_MS)).be.false();
    await shared.close();
  });

  it("uses another database, where the URL names one", async () => {
    const shared = await openSharedState(`${server().url}/3`, { namespace: "numbered" });
    await taken(shared, "key", A);
    should(await admin.exists("{numbered}:lease:key")).equal(0);
    await admin.select(3);
    should(await admin.exists("{numbered}:lease:key")).equal(1);
    await admin.select(0);
    await shared.close();
  });

  it("says that a user has too few rights", async () => {
    await admin.call("ACL", "SETUSER", "limited", "on", ">limited-4711", "~{other}*", "+@all");
    const url = `redis://limited:limited-4711@127.0.0.1:${server().port}`;
    const shared = await openSharedState(url);
    const error = await failure(shared.take("key", A, LONG_MS), { password: "limited-4711" });
    should(error.code).equal("SHARED_STATE_REFUSED");
    should(error.message).match(/too few rights/);
    await admin.call("ACL", "SETUSER", "limited", "resetkeys", "~{crec}*", "-info", "-config");
    await taken(shared, "allowed", A);
    await admin.call("ACL", "SETUSER", "limited", "-zscore");
    const forbidden = await failure(shared.once({ scope: "s", key: "k", ttlMs: LONG_MS }), {
      password: "limited-4711",
    });
    should(forbidden.message).match(/too few rights \(NOPERM\); allow it INFO, TIME and scripts/);
    await admin.call("ACL", "SETUSER", "limited", "nocommands");
    const commands = ["+@scripting", "+@hash", "+@string", "+@sortedset", "+@keyspace", "+time", "+info"];
    await admin.call("ACL", "SETUSER", "limited", ...commands);
    should(await shared.once({ scope: "s", key: "k", ttlMs: LONG_MS })).equal("new");
    await shared.writeRecord({ scope: "s", key: "k", revision: 0, value: 1, ttlMs: LONG_MS });
    await shared.members({ copy: A, group: "g", leaseMs: LONG_MS, held: [], wanted: ["allowed"] });
    await shared.leave(A);
    await shared.close();
  });

  it("says that its memory is full, and continues when it is not", async () => {
    const shared = await open();
    const { epoch } = await taken(shared, "full", A);
    await admin.config("SET", "maxmemory", "1");
    const error = await failure(shared.save("full", epoch, stateAt(1), LONG_MS), server());
    should([error.code, error.retryable]).deepEqual(["SHARED_STATE_UNREACHABLE", true]);
    should(error.message).match(/memory is full/);
    await admin.config("SET", "maxmemory", "0");
    should(await shared.save("full", epoch, stateAt(1), LONG_MS)).be.true();
    await shared.close();
  });

  it("uses TLS with rediss, and checks the certificate", async () => {
    const certificate = selfSigned();
    const secure = await RedisServer.start({ certificate });
    try {
      const url = secure.url.replace("redis:", "rediss:");
      const shared = await openSharedState(url, { ca: certificate.cert });
      await taken(shared, "tls", A);
      await shared.close();
      const wary = await openSharedState(url);
      const error = await failure(wary.take("tls", A, LONG_MS), secure);
      should(error.code).equal("SHARED_STATE_REFUSED");
      should(error.message).match(/certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*option ca/);
      await wary.close();
    } finally {
      await secure.remove();
    }
  });

  it("finds the primary by its sentinels", async () => {
    const sentinel = await RedisServer.startSentinel(server(), "cursors");
    try {
      const sentinels = [
        { host: "127.0.0.1", port: 1 },
        { host: "127.0.0.1", port: sentinel.port },
      ];
      const url = server().urlAt(1);
      const known = { sentinels, name: "cursors", password: sentinel.password };
      const shared = await openSharedState(url, { sentinel: known });
      should(shared.label).equal("Redis at cursors (Sentinel)");
      await taken(shared, "by sentinel", A);
      await shared.close();
      const unknown = await openSharedState(url, { sentinel: { ...known, name: "another" } });
      const error = await failure(unknown.take("by sentinel", A, LONG_MS), sentinel);
      should(error.code).equal("SHARED_STATE_UNREACHABLE");
      should(error.message).match(/none knows a running server under this master name/);
      await unknown.close();
    } finally {
      await sentinel.remove();
    }
  });
});
