import { wholeDigits } from "../../proofs/fields.ts";
import type { AlertEvidence, AlertOutcome, LogPlace } from "../types.ts";
import {
  cleanHash,
  cleanLevel,
  cleanPlace,
  compareBlocks,
  isAbove,
  isSameLog,
  isTransaction,
  noteSource,
  reportsAbove,
} from "./log-place.ts";
import { knownFrom, withJudged } from "./past.ts";
import {
  indexesIn,
  isEnd,
  isOtherReading,
  type Judged,
  type LogEvidence,
  moved,
  ownerOf,
  sighted,
} from "./sighted.ts";
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

type Undone = NonNullable<WatchedAlert["undone"]>;
type TransactionEvidence = AlertEvidence & { kind: "transaction" };
type BlockEvidence = AlertEvidence & { kind: "block" };

/** What a log shows about the log of an alert, where it is not the same one. `isOwned`: it is that of another alert. */
export function doubtedByLog(
  one: WatchedAlert,
  evidence: LogEvidence,
  { now, slackMs, sources, isOwned }: Moment & Pick<WatchState, "sources"> & { isOwned: boolean },
): Judged {
  const { log, at, redelivered = false } = evidence;
  const { log: known } = one;
  if (log.chainSelector !== known.chainSelector || isOtherReading(one, evidence)) return { watched: one };
  if (isTransaction(log, known) && log.blockNumber !== known.blockNumber) {
    return inOtherBlock(one, { ...log, redelivered }, { now, slackMs });
  }
  if (!isAbove(log.confidence, known.confidence)) {
    const isAlive = log.source === known.source && !redelivered && at !== undefined;
    const { passed } = one;
    if (!isAlive || passed === undefined || at < passed.at) return { watched: one };
    if (!reportsAbove(sources, known, passed.confidence)) return { watched: one };
    return { watched: undo(one, { ...passed, at: now, reason: "level_passed" }) };
  }
  const { confidence, blockNumber } = log;
  if (log.blockNumber === known.blockNumber && log.logIndex === known.logIndex) {
    const reason = isTransaction(log, known) ? "other_outcome" : "level_passed";
    return { watched: undo(one, { at: now, reason, confidence, blockNumber }) };
  }
  if (compareBlocks(log.blockNumber, known.blockNumber) < 0) return { watched: one };
  // The block may have been replaced by one of the same number. Or the transaction emitted the same twice.
  const stands = !isOwned && isSameLog(log, known) ? ({ stands: true } as const) : {};
  return log.source === known.source
    ? { watched: undo(one, { at: now, reason: "level_passed", confidence, blockNumber, ...stands }) }
    : { watched: pass(one, { at: now, confidence, blockNumber }) };
}

/** What a transaction shows, where it is that of the alert. `evidence` is in the form in which places are compared. */
export function doubtedByTransaction(
  one: WatchedAlert,
  evidence: TransactionEvidence,
  moment: Moment,
): Judged {
  const { log: known, alert } = one;
  const { blockNumber, confidence, failed, redelivered = false } = evidence;
  if (!isTransaction(evidence, known)) return { watched: one };
  if (!failed) {
    if (blockNumber === undefined || blockNumber === known.blockNumber) return { watched: one };
    return inOtherBlock(one, { blockNumber, confidence, redelivered }, moment);
  }
  const { now } = moment;
  if (isAbove(confidence, known.confidence)) {
    const outcome = { kind: "takenBack", alert, at: now, reason: "other_outcome", stands: false } as const;
    return { watched: undefined, outcomes: [outcome], undone: one };
  }
  return isLater(one, { confidence, redelivered }, moment)
    ? { watched: undo(one, { at: now, reason: "other_outcome", confidence, blockNumber: known.blockNumber }) }
    : { watched: one };
}

/** What a level of the chain shows: by itself nothing, since the source of the log may have stopped reporting. */
export function doubtedByBlock(one: WatchedAlert, evidence: BlockEvidence, { now }: Moment): Judged {
  const { log: known } = one;
  const { chainSelector, blockNumber, confidence } = evidence;
  if (chainSelector !== known.chainSelector || !isAbove(confidence, known.confidence))
    return { watched: one };
  if (compareBlocks(blockNumber, known.blockNumber) < 0) return { watched: one };
  return { watched: pass(one, { at: now, confidence, blockNumber }) };
}

type Elsewhere = { blockNumber: string; confidence: string; redelivered: boolean };

/** The transaction is in another block: the log is not where it was, and may follow. */
function inOtherBlock(
  one: WatchedAlert,
  { blockNumber, confidence, redelivered }: Elsewhere,
  moment: Moment,
): Judged {
  const { log: known } = one;
  if (!isAbove(confidence, known.confidence) && !isLater(one, { confidence, redelivered }, moment)) {
    return { watched: one };
  }
  const { now } = moment;
  const logIndex = indexesIn(one, blockNumber).at(-1);
  if (logIndex !== undefined)
    return moved(one, { to: { ...known, blockNumber, logIndex }, isEnd: false, now });
  return { watched: undo(one, { at: now, reason: "other_block", confidence, blockNumber }) };
}

/** Whether something at the same level was certainly reported later: events arrive in another order within the slack. */
function isLater(
  { log, seenAt }: WatchedAlert,
  { confidence, redelivered }: { confidence: string; redelivered: boolean },
  { now, slackMs }: Moment,
): boolean {
  return !redelivered && !isAbove(log.confidence, confidence) && now - seenAt > slackMs;
}

/** The first doubt counts, with the highest level. */
function undo(one: WatchedAlert, undone: Undone): WatchedAlert {
  const { undone: before } = one;
  if (before === undefined) return { ...one, undone };
  const isStronger = isAbove(undone.confidence, before.confidence);
  if (!isStronger && (before.stands || !undone.stands)) return one;
  const confidence = isStronger ? undone.confidence : before.confidence;
  return { ...one, undone: { ...undone, ...before, confidence } };
}

function pass(one: WatchedAlert, passed: NonNullable<WatchedAlert["passed"]>): WatchedAlert {
  const { passed: before } = one;
  return before === undefined || isAbove(passed.confidence, before.confidence) ? { ...one, passed } : one;
}
