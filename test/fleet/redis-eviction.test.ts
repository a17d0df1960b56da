import { Redis } from "ioredis";
import should from "should";
import { redisSettings } from "../../src/fleet/driver-settings.ts";
import { DriverState } from "../../src/fleet/driver-state.ts";
import { redisDriver } from "../../src/fleet/redis/index.ts";
import { openSharedState } from "../../src/index.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { failure } from "./shared-state-faults.ts";
import { A, LONG_MS, taken } from "./shared-state-suite.ts";

const FIVE_MINUTES = 300_000;

describe("what Redis evicts when its memory is full", function () {
  this.timeout(60_000);

  let server: RedisServer;
  let admin: Redis;
  before(async function () {
    if (!hasRedis()) return this.skip();
    server = await RedisServer.start({ settings: ["--maxmemory", "100mb"] });
    admin = new Redis(server.url);
  });
  beforeEach(() => admin.config("SET", "maxmemory-policy", "noeviction"));
  after(async () => {
    admin?.disconnect();
    await server?.remove();
  });

  const mark = { scope: "s", key: "k", ttlMs: LONG_MS };

  it("is asked with each connection: where it may be any key, Redis is not used", async () => {
    for (const [policy, isUsed] of [
      ["allkeys-lru", false],
      ["allkeys-random", false],
      ["volatile-lru", true],
      ["volatile-ttl", true],
      ["noeviction", true],
    ] as const) {
      await admin.config("SET", "maxmemory-policy", policy);
      const shared = await openSharedState(server.url);
      const call = shared.take("evicted", A, LONG_MS);
      if (isUsed) await call;
      else should((await failure(call, server)).message).containEql(`maxmemory-policy ${policy}`);
      should(shared.isEvictionUnknown).be.false();
      await shared.close();
    }
  });

  it("is no question where the memory has no limit", async () => {
    await admin.config("SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "0");
    const shared = await openSharedState(server.url);
    await taken(shared, "unlimited", A);
    await shared.close();
    await admin.config("SET", "maxmemory", "100mb");
  });

  it("is asked again every five minutes, and as long as it is refused", async () => {
    let now = 1;
    const shared = new DriverState(
      redisDriver(redisSettings(server.url, {}), () => now),
      5_000,
    );
    await shared.once(mark);
    await admin.config("SET", "maxmemory-policy", "allkeys-lfu");
    now += FIVE_MINUTES - 1;
    should(await shared.once(mark)).equal("seen");
    now += 1;
    for (let index = 0; index < 2; index += 1) {
      const { code, message } = await failure(shared.once({ ...mark, key: "refused" }), server);
      should(code).equal("SHARED_STATE_REFUSED");
      should(message).match(/maxmemory-policy allkeys-lfu.*set maxmemory-policy to noeviction/);
    }
    await admin.config("SET", "maxmemory-policy", "volatile-lru");
    should(await shared.once({ ...mark, key: "refused" })).equal("new");
    await shared.close();
  });

  it("is unknown where INFO is not allowed, until it is", async () => {
    let now = 1;
    const rights = (...given: string[]) =>
      admin.call("ACL", "SETUSER", "u", "on", ">p", "~*", "+@all", ...given);
    await rights("-info", "-config");
    const url = `redis://u:p@127.0.0.1:${server.port}`;
    const shared = new DriverState(
      redisDriver(redisSettings(url, {}), () => now),
      5_000,
    );
    should(shared.isEvictionUnknown).be.false();
    await shared.once(mark);
    should(shared.isEvictionUnknown).be.true();
    await rights("+info");
    now += FIVE_MINUTES;
    await shared.once(mark);
    should(shared.isEvictionUnknown).be.false();
    await shared.close();
  });

  it("is not taken for unknown where the server gives another answer", async () => {
    const shared = await openSharedState(`redis://127.0.0.1:${server.port}`);
    should((await failure(shared.once(mark), server)).message).match(/NOAUTH/);
    should(shared.isEvictionUnknown).be.false();
    await shared.close();
  });

  it("is nothing of a full memory: a copy that came meanwhile goes on when there is room", async () => {
    await admin.config("SET", "maxmemory", "1");
    const shared = await openSharedState(server.url, { namespace: "late" });
    should((await failure(shared.once(mark), server)).message).match(/memory is full/);
    await admin.config("SET", "maxmemory", "100mb");
    should(await shared.once(mark)).equal("new");
    await shared.close();
  });
});
