import { wholeDigits } from "../../proofs/fields.ts";
import type { AlertEvidence, AlertOutcome, LogPlace } from "../types.ts";
import { noteSource } from "./compare.ts";
import { doubtedByBlock, doubtedByLog, doubtedByTransaction } from "./doubts.ts";
import { cleanHash, cleanLevel, cleanPlace } from "./log-place.ts";
import { knownFrom, withJudged } from "./past.ts";
import { isEnd, isOtherReading, type Judged, ownerOf, sighted } from "./sighted.ts";
import type { Learned, Moment, WatchedAlert, WatchState } from "./types.ts";
import { withChanged } from "./watched.ts";

/**
 * What a piece of evidence shows about the watched alerts. Evidence has to be proven: give nothing that was not
 * verified. Invalid evidence, such as a block number that is not a number, changes nothing.
 */
export function learn(state: WatchState, evidence: AlertEvidence, moment: Moment): Learned {
  switch (evidence.kind) {
    case "log": {
      const log = cleanPlace(evidence.log);
      if (log === undefined) return { state, outcomes: [] };
      const sources = noteSource(state.sources, log);
      const clean = { ...evidence, log };
      const owner = ownerOf(state.watched, log);
      const among = { ...moment, sources, isOwned: owner !== undefined };
      const isLower = !state.hasLower && !isEnd(clean);
      const noted =
        sources === state.sources && !isLower
          ? state
          : { ...state, sources, ...(isLower && { hasLower: true as const }) };
      const judge = (one: WatchedAlert) =>
        one === owner ? sighted(one, clean, moment) : doubtedByLog(one, clean, among);
      const judged = judgeThese(noted, affectedByLog(noted, { log, owner, judge }), judge, moment);
      const known = knownFrom(state.past, log, isEnd(clean));
      const contradicts = state.watched.atPlace(log).some((one) => isOtherReading(one, clean));
      return {
        ...judged,
        ...known,
        ...(owner === undefined ? {} : { belongsTo: owner.alert.id }),
        ...(contradicts && { contradicts }),
      };
    }
    case "block": {
      const place = cleanBlock(evidence);
      if (place.blockNumber === undefined) return { state, outcomes: [] };
      const clean = { ...evidence, ...place, blockNumber: place.blockNumber };
      const judge = (one: WatchedAlert) => doubtedByBlock(one, clean, moment);
      const changing = state.watched.groups().filter(({ one }) => judge(one).watched !== one);
      const affected = changing.flatMap(({ all }) => all());
      return judgeThese(state, affected, judge, moment);
    }
    case "transaction": {
      const { blockNumber, ...place } = cleanBlock(evidence);
      const transactionHash = cleanHash(evidence.transactionHash);
      if (transactionHash === undefined) return { state, outcomes: [] };
      const { blockNumber: _given, ...rest } = evidence;
      const clean = {
        ...rest,
        ...place,
        transactionHash,
        ...(blockNumber === undefined ? {} : { blockNumber }),
      };
      const affected = state.watched.ofTransaction(clean, undefined);
      return judgeThese(state, affected, (one) => doubtedByTransaction(one, clean, moment), moment);
    }
  }
}

function cleanBlock({ chainSelector, blockNumber, confidence }: Exclude<AlertEvidence, { kind: "log" }>) {
  return {
    // An invalid selector matches no chain.
    chainSelector: wholeDigits(chainSelector) ?? "",
    blockNumber: wholeDigits(blockNumber),
    confidence: cleanLevel(confidence),
  };
}

/**
 * The alerts about which a log may show something. Of those that it shows the same about, one is asked, as if its log
 * were of another transaction, or another one of the same logs.
 */
function affectedByLog(
  { watched }: WatchState,
  given: { log: LogPlace; owner: WatchedAlert | undefined; judge: (one: WatchedAlert) => Judged },
): WatchedAlert[] {
  const { log, owner, judge } = given;
  const isChanged = (one: WatchedAlert) => judge(one).watched !== one;
  const affected = [
    ...(owner === undefined ? [] : [owner]),
    ...watched.atPlace(log),
    ...watched.ofTransaction(log, log.blockNumber),
  ];
  const hasSame = watched.hasInBlock(log);
  for (const { one, all } of watched.groups()) {
    const { log: known } = one;
    if (isChanged({ ...one, log: { ...known, transactionHash: "", logIndex: "" } })) affected.push(...all());
    else if (hasSame && known.blockNumber === log.blockNumber) {
      const { transactionHash, contract, content } = log;
      const sibling = { ...known, transactionHash, contract, content, logIndex: "" };
      if (isChanged({ ...one, log: sibling })) affected.push(...watched.inBlock(log));
    }
  }
  return affected;
}

/** `state` itself where no alert changed. */
function judgeThese(
  state: WatchState,
  affected: readonly WatchedAlert[],
  judge: (one: WatchedAlert) => Judged,
  { now }: Moment,
): { state: WatchState; outcomes: AlertOutcome[] } {
  const each = [...new Set(affected)].sort((one, other) => one.no - other.no);
  const judged = each.map((one) => ({ one, judged: judge(one) }));
  const outcomes = judged.flatMap((one) => one.judged.outcomes ?? []);
  const changed = judged.filter(({ one, judged: { watched } }) => watched !== one);
  if (changed.length === 0) return { state, outcomes };
  const past = withJudged(
    state.past,
    judged.map((one) => one.judged),
    now,
  );
  return { state: { ...state, watched: withChanged(state.watched, changed), past }, outcomes };
}
