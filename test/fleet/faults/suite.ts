import should from "should";
import { randomFrom } from "../../support/random.ts";
import type { Engine } from "./engine.ts";
import type { FaultKind, Incident } from "./faults.ts";
import { LEASE_MS, POLL_MS } from "./flow.ts";
import { runFleet } from "./run.ts";
import { percentile, timesOf, timesText } from "./times.ts";
import { lateCount, type Outcome, problemsOf } from "./verdict.ts";

export type FleetTests = {
  /** Whether it is installed. */
  has: () => boolean;
  startEngine: () => Promise<Engine>;
  events: number;
  faults: number;
  /** Only faults of these kinds. */
  kinds?: readonly FaultKind[];
  /** How many messages may be in the flow at the same time. @default 3 */
  inFlight?: number;
  /** How many times as long as promised one hand-over may take on a machine that does other things as well. */
  patience: number;
  /** Is told the times of each run. */
  report?: (line: string) => void;
};

/** Changes what a copy sends to the database, so that a lower epoch than that of the lease is accepted. */
export type Unfence = (sent: string) => string;

const ORDERLY_MS = 1_000;
/** What a database without a fence fails at. */
const CONTROL: { kinds: readonly FaultKind[]; faults: number; events: number } = {
  kinds: ["engine late"],
  faults: 1,
  events: 60,
};

/** A run of its own each time, or one to look at again. */
const SEED = Number(process.env.FLEET_SEED ?? Date.now() % 1_000_000);

/** The promises of several copies, on one engine, under random faults. To be called within a `describe`. */
export function describeFleet(tests: FleetTests): void {
  const { events, faults, patience } = tests;

  before(function () {
    if (!tests.has()) this.skip();
  });

  it(`process ${events} events once through ${faults} faults (seed ${SEED})`, async () => {
    const outcome = await runFleet({ ...tests, random: random() });
    tests.report?.(summaryOf(outcome));
    should(problemsOf(outcome)).deepEqual([]);
    should(outcome.incidents).have.length(faults);
    checkTimes(outcome, "fail-over", LEASE_MS + POLL_MS, patience);
    checkTimes(outcome, "orderly", ORDERLY_MS, patience);
  });
}

/** That the same checks find a database that does not refuse what a copy without the lease writes. */
export function describeUnfenced({ startEngine, has }: FleetTests, unfence: Unfence): void {
  before(function () {
    if (!has()) this.skip();
  });

  it(`fail these checks if the database takes what a copy without the lease writes (seed ${SEED})`, async () => {
    let altered = 0;
    const alter = (sent: string) => {
      const now = unfence(sent);
      if (now !== sent) altered += 1;
      return now;
    };
    const outcome = await runFleet({ ...CONTROL, startEngine, random: random(), alter });
    should(altered).be.above(0);
    should(problemsOf(outcome)).not.be.empty();
  });
}

function random(): () => number {
  // Seeds that are close must not make runs that are.
  return randomFrom(Math.imul(SEED + 1, 0x9e3779b1) >>> 0);
}

/** 99 of 100 take no longer than promised; where there are few, none takes many times as long. */
function checkTimes(
  outcome: Outcome,
  kind: Incident["handOver"],
  promisedMs: number,
  patience: number,
): void {
  const times = timesOf(outcome, kind);
  if (times.length === 0) return;
  should(percentile(times, 0.99)).be.belowOrEqual(promisedMs * patience, `${kind}: ${times.join(", ")} ms`);
}

/** One line with the times and the seed. */
function summaryOf(outcome: Outcome): string {
  const { events, records, incidents } = outcome;
  const shown = (kind: Incident["handOver"]) => `${kind} ${timesText(timesOf(outcome, kind))}`;
  const count = (kind: string) => records.filter((one) => one.kind === kind).length;
  return [
    `seed ${SEED}: ${events} events, ${incidents.length} faults`,
    `sent ${count("sent")}, failed ${count("failed")}, moved ${count("moved")}, late ${lateCount(outcome)}`,
    shown("fail-over"),
    shown("orderly"),
  ].join("; ");
}
