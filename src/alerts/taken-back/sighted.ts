import type { AlertEvidence, AlertOutcome, LogPlace } from "../types.ts";
import { isAbove, isFinal, isSamePlace } from "./log-place.ts";
import type { Moment, WatchedAlert } from "./types.ts";
import type { WatchedAlerts } from "./watched.ts";

export type LogEvidence = AlertEvidence & { kind: "log" };

/**
 * What an alert is after a piece of evidence. `watched` is undefined where it need not be watched any longer: then its
 * log was undone, or `stands`. `isEnd`: for good, where it is.
 */
export type Judged = {
  watched: WatchedAlert | undefined;
  outcomes?: AlertOutcome[];
  undone?: WatchedAlert;
  stands?: WatchedAlert;
  isEnd?: boolean;
};

/** Places that are remembered for one log. */
export const MOST_PLACES = 8;

/**
 * Which alert a log belongs to. A transaction may emit the same several times: then each alert has one of these logs in
 * each block. A block of a number may be replaced again, with the log at another index; but in the block of the alert
 * itself another index is another log, unless the log has left that block.
 */
export function ownerOf(watched: WatchedAlerts, log: LogPlace): WatchedAlert | undefined {
  const { blockNumber } = log;
  const [exact] = watched.reportedAt(log);
  if (exact !== undefined) return exact;
  const known = (one: WatchedAlert) => indexesIn(one, blockNumber).length;
  return watched
    .fromElsewhere(log)
    .filter((one) => known(one) === 0 || !isInItsBlock(one, blockNumber))
    .sort((one, other) => known(one) - known(other))[0];
}

/** Whether a block is that of the alert, and its log is not known to have left it. */
function isInItsBlock({ alert, log }: WatchedAlert, blockNumber: string): boolean {
  return alert.log?.blockNumber === blockNumber && log.blockNumber === blockNumber;
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
  const { no, alert, log, raisedAt, toldMoved } = one;
  const outcome = { kind: "takenBack", alert, at: now, reason: "other_block", stands: true } as const;
  const { others = [] } = withPlace(one, log);
  const there = { no, alert, log: to, raisedAt, seenAt: now, others, toldMoved: true } as const;
  return {
    ...(isEnd ? { watched: undefined, stands: there, isEnd } : { watched: there }),
    outcomes: toldMoved ? [] : [outcome],
  };
}

function sightedHere(one: WatchedAlert, evidence: LogEvidence, { now }: Moment): Judged {
  const { log, redelivered = false } = evidence;
  if (isAbove(one.log.confidence, log.confidence)) return { watched: one };
  if (isEnd(evidence))
    return { watched: undefined, stands: { ...withPlace(one, one.log), log }, isEnd: true };
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
 * in another order: a place is newer if it arrives after the slack, or if its transaction is known to be in that block.
 */
function isNewer(one: WatchedAlert, { log, redelivered = false }: LogEvidence, moment: Moment): boolean {
  if (isAbove(log.confidence, one.log.confidence)) return true;
  if (redelivered || isAbove(one.log.confidence, log.confidence)) return false;
  const { undone, seenAt } = one;
  if (undone?.reason === "other_block" && undone.blockNumber === log.blockNumber) return true;
  return moment.now - seenAt > moment.slackMs;
}

/**
 * Whether a log is that of an alert, as another watcher reads it. A block that replaces another one of its number has
 * another time, and what it has at the same place is another log.
 */
export function isOtherReading(
  { alert, log: known }: WatchedAlert,
  { log, at }: Pick<LogEvidence, "log" | "at">,
): boolean {
  return at === alert.at && isSamePlace(log, known) && log.content !== known.content;
}

/** Whether nothing that is reported can undo it. */
export function isEnd({ log, isHighest = false }: Pick<LogEvidence, "log" | "isHighest">): boolean {
  return isHighest || isFinal(log.confidence);
}

/** The indexes at which the log of an alert was reported in a block; the newest one is the last. */
export function indexesIn({ log, others = [] }: WatchedAlert, blockNumber: string): string[] {
  const all = [...others, [log.blockNumber, log.logIndex] as const];
  return all.filter(([block]) => block === blockNumber).map(([, index]) => index);
}

/** With another place in which its log was reported. */
function withPlace(one: WatchedAlert, { blockNumber, logIndex }: LogPlace): WatchedAlert {
  const { others = [] } = one;
  if (others.some(([block, index]) => block === blockNumber && index === logIndex)) return one;
  const place = [blockNumber, logIndex] as const;
  return { ...one, others: [...others, place].slice(-MOST_PLACES) };
}
