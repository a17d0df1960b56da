import type { FaultKind } from "../test/fleet/faults/faults.ts";
import { LEASE_MS, POLL_MS } from "../test/fleet/faults/flow.ts";
import { runFleet } from "../test/fleet/faults/run.ts";
import { timesOf, timesText } from "../test/fleet/faults/times.ts";
import { problemsOf } from "../test/fleet/faults/verdict.ts";
import { PostgresServer } from "../test/support/postgres.ts";
import { randomFrom } from "../test/support/random.ts";
import { RedisServer } from "../test/support/redis.ts";
import type { Measured } from "./measured.ts";
import { skippedWithoutRedis } from "./redis.ts";
import { sized } from "./sized.ts";

const ENGINES = { postgres: () => PostgresServer.start(), redis: () => RedisServer.start() };
const FAULTS = sized(32, 2);
const EVENTS = sized(400, 12);
/** Of Node-RED. */
const COPIES = sized(3, 2);
/** As many events wait while faults go on. */
const BACKLOG = sized(40, 12);
const KINDS = sized<readonly FaultKind[]>(["kill", "pause", "engine cut", "stop"], ["pause", "stop"]);
const SEED = 1;

/** How soon another of three Node-REDs goes on where one was ended, suspended, cut off, or stopped in order. */
export async function benchHandOvers(engine: keyof typeof ENGINES): Promise<Measured[]> {
  const failOver = `fail-over with a lease of ${LEASE_MS} ms`;
  const orderly = "orderly stop";
  const skipped = engine === "redis" ? skippedWithoutRedis() : undefined;
  if (skipped !== undefined) return [failOver, orderly].map((what) => ({ what, value: skipped }));
  const run = {
    startEngine: ENGINES[engine],
    events: EVENTS,
    faults: FAULTS,
    copies: COPIES,
    backlog: BACKLOG,
    kinds: KINDS,
    random: randomFrom(SEED),
  };
  const outcome = await runFleet(run);
  const problems = problemsOf(outcome);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const row = (what: string, kind: "fail-over" | "orderly", aimMs: number) => {
    return { what, value: `${timesText(timesOf(outcome, kind))} (aim ${aimMs})` };
  };
  return [row(failOver, "fail-over", LEASE_MS + POLL_MS), row(orderly, "orderly", 1_000)];
}
