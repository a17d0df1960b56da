import fc from "fast-check";
import should from "should";
import type { AlertEvidence, LogPlace } from "../../../src/alerts/index.ts";
import { learn, watchAlert, watchStateOf } from "../../../src/alerts/taken-back/index.ts";
import { doubtedByBlock, doubtedByLog, doubtedByTransaction } from "../../../src/alerts/taken-back/learn.ts";
import { isSameLog, noteSource } from "../../../src/alerts/taken-back/log-place.ts";
import { indexesIn, isOtherReading, sighted } from "../../../src/alerts/taken-back/sighted.ts";
import type { WatchedAlert, WatchState } from "../../../src/alerts/taken-back/types.ts";
import { unlisted } from "../../../src/index.ts";
import { alertOn, CHAIN, hashOf, logAt } from "./logs.ts";

const place = fc.record({
  tx: fc.integer({ min: 1, max: 3 }),
  blockNumber: fc.constantFrom("99", "100", "101"),
  logIndex: fc.constantFrom("1", "2", "3"),
  content: fc.constantFrom("one", "other"),
  source: fc.constantFrom("first", "second"),
  confidence: fc.constantFrom("latest", "latest", "latest", "safe", "finalized"),
});
const log = fc.record({
  kind: fc.constant("log" as const),
  place,
  at: fc.constantFrom(0, 1, 2_000),
  redelivered: fc.boolean(),
});
const block = fc.record({
  kind: fc.constant("block" as const),
  blockNumber: fc.constantFrom("99", "100", "101"),
  confidence: fc.constantFrom("safe", "finalized"),
});
const transaction = fc.record({
  kind: fc.constant("transaction" as const),
  tx: fc.integer({ min: 1, max: 3 }),
  blockNumber: fc.constantFrom("99", "100", "101"),
  confidence: fc.constantFrom("latest", "safe", "finalized"),
  failed: fc.boolean(),
});
const given = fc.array(
  fc.record({
    one: fc.oneof({ weight: 4, arbitrary: log }, block, transaction),
    after: fc.constantFrom(0, 1, 100),
  }),
  { minLength: 1, maxLength: 15 },
);

type Drawn = typeof given extends fc.Arbitrary<Array<{ one: infer One }>> ? One : never;

function evidenceOf(one: Drawn): AlertEvidence {
  if (one.kind === "log") {
    const { place, kind, ...more } = one;
    return { kind, log: logAt(place), ...more };
  }
  const { confidence, ...more } = one;
  const rest = { ...more, chainSelector: CHAIN, confidence: unlisted(confidence) };
  return rest.kind === "block" ? rest : { ...rest, transactionHash: hashOf(rest.tx) };
}

/** Whose log it is, by looking at all alerts. */
function naiveOwner(all: readonly WatchedAlert[], log: LogPlace): WatchedAlert | undefined {
  const same = all.filter((one) => isSameLog(one.log, log));
  const indexes = (one: WatchedAlert) => indexesIn(one, log.blockNumber);
  const exact = same.find((one) => indexes(one).includes(log.logIndex));
  const isInItsBlock = (one: WatchedAlert) =>
    [one.alert.log, one.log].every((place) => place?.blockNumber === log.blockNumber);
  const others = same.filter((one) => indexes(one).length === 0 || !isInItsBlock(one));
  return exact ?? others.sort((one, other) => indexes(one).length - indexes(other).length)[0];
}

/** What each alert is after a piece of evidence, where all of them are asked. */
function naive(state: WatchState, evidence: AlertEvidence, now: number) {
  const moment = { now, slackMs: 50 };
  const owner = evidence.kind === "log" ? naiveOwner(state.watched.all(), evidence.log) : undefined;
  const judge = (one: WatchedAlert) => {
    if (evidence.kind === "block") return doubtedByBlock(one, evidence, moment);
    if (evidence.kind === "transaction") return doubtedByTransaction(one, evidence, moment);
    const sources = noteSource(state.sources, evidence.log);
    return one === owner
      ? sighted(one, evidence, moment)
      : doubtedByLog(one, evidence, { ...moment, sources, isOwned: owner !== undefined });
  };
  const judged = state.watched.all().map(judge);
  return {
    watched: judged.flatMap(({ watched }) => watched ?? []),
    outcomes: judged.flatMap(({ outcomes = [] }) => outcomes),
    contradicts: state.watched.all().some((one) => evidence.kind === "log" && isOtherReading(one, evidence)),
  };
}

describe("alerts that are watched", () => {
  it("are what they are where each of them is asked about each evidence", () =>
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), given, (places, all) => {
        let state = watchStateOf(undefined);
        let now = 1_000;
        for (const [index, one] of places.entries()) {
          state = watchAlert(state, alertOn(logAt(one), `${index}`), { now });
        }
        for (const { one, after } of all) {
          now += after;
          const evidence = evidenceOf(one);
          const learned = learn(state, evidence, { now, slackMs: 50 });
          const expected = naive(state, evidence, now);
          should(learned.state.watched.all()).deepEqual(expected.watched);
          should(learned.outcomes).deepEqual(expected.outcomes);
          should(learned.contradicts ?? false).equal(expected.contradicts);
          state = learned.state;
          // It is stored in between.
          if (after === 1) state = watchStateOf(JSON.parse(JSON.stringify(state)));
        }
      }),
      { numRuns: 200 },
    ));
});
