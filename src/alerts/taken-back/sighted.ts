import type { AlertEvidence, AlertOutcome, LogPlace } from "../types.ts";
import { compareBlocks, isAbove, isFinal, isSameLog } from "./compare.ts";
import type { Moment, WatchedAlert } from "./types.ts";

export type LogEvidence = AlertEvidence & { kind: "log" };

/** What an alert is after a piece of evidence. `watched` is undefined where it need not be watched any longer. */
export type Judged = { watched: WatchedAlert | undefined; outcomes?: AlertOutcome[] };

/** Places that are remembered for one log. */
const MOST_PLACES = 8;

/**
 * Which alert a log belongs to. A transaction may emit the same several times: then each alert has one of these logs in
 * each block.
 */
export function ownerOf(watched: readonly WatchedAlert[], log: LogPlace): WatchedAlert | undefined {
  const same = watched.filter((one) => isSameLog(one.log, log));
  return (
    same.find((one) => indexIn(one, log.blockNumber) === log.logIndex) ??
    same.find((one) => indexIn(one, log.blockNumber) === undefined)
  );
}

/** The log of an alert was reported, where it was or in another block. */
export function sighted(one: WatchedAlert, evidence: LogEvidence, moment: Moment): Judged {
  const { log } = evidence;
  if (log.blockNumber === one.log.blockNumber) return sightedHere(one, evidence, moment);
  return isNewer(one, evidence, moment)
    ? moved(one, { to: log, isEnd: isEnd(evidence), now: moment.now })
    : { watched: withPlace(one, log) };
}

/** People are told once that a log has moved. Its new place is watched as the old one was. */
export function moved(
  one: WatchedAlert,
  { to, isEnd, now }: { to: LogPlace; isEnd: boolean; now: number },
): Judged {
  const { alert, log, raisedAt, toldMoved } = one;
  const outcome = { kind: "takenBack", alert, at: now, reason: "other_block", stands: true } as const;
  const { others = [] } = withPlace(one, log);
  return {
    watched: isEnd ? undefined : { alert, log: to, raisedAt, seenAt: now, others, toldMoved: true },
    outcomes: toldMoved ? [] : [outcome],
  };
}

function sightedHere(one: WatchedAlert, evidence: LogEvidence, { now }: Moment): Judged {
  const { log, redelivered = false } = evidence;
  if (isAbove(one.log.confidence, log.confidence)) return { watched: one };
  if (isEnd(evidence)) return { watched: undefined };
  const isHigher = isAbove(log.confidence, one.log.confidence);
  if (redelivered && !isHigher) return { watched: one };
  const { undone, passed, ...rest } = one;
  const stays = (doubt: { confidence: string } | undefined) =>
    doubt !== undefined && isAbove(doubt.confidence, log.confidence);
  return {
    watched: {
      ...rest,
      log,
      seenAt: now,
      ...(undone && stays(undone) ? { undone } : {}),
      ...(passed && stays(passed) ? { passed } : {}),
    },
  };
}

/**
 * Whether a place was reported after the one that is known. A higher level decides. At the same level events may arrive
 * in another order: within the slack, a block that is not above the known one may be older.
 */
function isNewer(one: WatchedAlert, { log, redelivered = false }: LogEvidence, moment: Moment): boolean {
  const { log: known, undone, seenAt } = one;
  if (isAbove(log.confidence, known.confidence)) return true;
  if (redelivered || isAbove(known.confidence, log.confidence)) return false;
  if (undone !== undefined || compareBlocks(log.blockNumber, known.blockNumber) > 0) return true;
  return moment.now - seenAt > moment.slackMs;
}

function isEnd({ log, isHighest = false }: LogEvidence): boolean {
  return isHighest || isFinal(log.confidence);
}

/** The index of an alert's log in a block; undefined where it was not reported there. */
export function indexIn({ log, others = [] }: WatchedAlert, blockNumber: string): string | undefined {
  if (log.blockNumber === blockNumber) return log.logIndex;
  return others.find(([block]) => block === blockNumber)?.[1];
}

function withPlace(one: WatchedAlert, { blockNumber, logIndex }: LogPlace): WatchedAlert {
  const { others = [] } = one;
  if (others.some(([block]) => block === blockNumber)) return one;
  const place = [blockNumber, logIndex] as const;
  return { ...one, others: [...others, place].slice(-MOST_PLACES) };
}
