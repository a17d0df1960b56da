import { Redis } from "ioredis";
import should from "should";
import { hasRedis, RedisServer } from "../support/redis.ts";

describe("a Redis of tests", () => {
  let server: RedisServer | undefined;

  before(async function () {
    if (!hasRedis()) return this.skip();
    server = await RedisServer.start();
  });
  after(() => server?.remove());

  it("has after a kill what it answered before", async () => {
    const redis = new Redis(server?.url ?? "");
    await redis.set("key", "value");
    await server?.kill();
    await server?.restart();
    should(await redis.get("key")).equal("value");
    redis.disconnect();
  });
});
