import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import should from "should";
import { SAVE } from "../../../src/fleet/redis/statements.ts";
import { hasRedis, RedisServer } from "../../support/redis.ts";
import { inVariants, sized } from "../../support/variants.ts";
import { describeFleet, describeUnfenced, type FleetTests } from "./suite.ts";

const TESTS: FleetTests = {
  has: hasRedis,
  startEngine: () => RedisServer.start(),
  events: sized(60, 200),
  faults: sized(2, 8),
  patience: 5,
  // What differs between the engines: how they lose power, and how they refuse what is late.
  ...sized({ kinds: ["engine restart", "engine late"] as const }, {}),
};

/** A Redis that has the script that saves a cursor without its conditions, and the hash of that script. */
async function withUnfencedScript(): Promise<RedisServer> {
  const server = await RedisServer.start();
  const redis = new Redis(server.url);
  should(await redis.script("LOAD", UNFENCED)).equal(hashOf(UNFENCED));
  redis.disconnect();
  return server;
}

/** Each of the two conditions refuses a copy without the lease: the newer holder saves with a higher revision. */
const UNFENCED = SAVE.text
  .replace("return lease[1] == epoch and lease[2]", "return true")
  .replace(/if tonumber\(ARGV\[4\]\) > .* then/, "if true then");
/** A copy that asks for the script gets the other one. */
const unfence = (sent: string) => sent.replace(hashOf(SAVE.text), hashOf(UNFENCED));

function hashOf(script: string): string {
  return createHash("sha1").update(script).digest("hex");
}

describe("three copies of a flow that share a Redis", function () {
  this.timeout(600_000);
  describeFleet(TESTS);
  inVariants(() => describeUnfenced({ ...TESTS, startEngine: withUnfencedScript }, unfence));
});
