import type { LogPlace } from "../types.ts";
import { compareBlocks, isAbove } from "./compare.ts";
import { withJudged } from "./past.ts";
import { isOtherReading, type Judged, moved } from "./sighted.ts";
import type { Watched, WatchedAlert, WatchSettings, WatchState } from "./types.ts";

/**
 * What is due, once all inputs up to `readUpTo` (milliseconds) were given: alerts whose logs were undone and did not
 * reappear within the slack, and alerts that were not confirmed in time. Neither is watched any longer. Call it only
 * while the channel is read up to the present: an event that confirms the log may be among those that were not read.
 */
export function settle(state: WatchState, settings: WatchSettings, readUpTo: number): Watched {
  const { confirmWithinMs } = settings;
  if (confirmWithinMs === undefined) {
    return { state: state.watched.length === 0 ? state : { ...state, watched: [] }, outcomes: [] };
  }
  const due = state.watched.filter((one) => dueAt(one, settings.slackMs, confirmWithinMs) <= readUpTo);
  if (due.length === 0) return { state, outcomes: [] };
  const settled = new Map(due.map((one) => [one, verdictOn(one, readUpTo)]));
  const gone = [...settled.values()].flatMap(({ undone }) => undone ?? []);
  for (const one of gone.length === 0 ? [] : state.watched) {
    const undone = settled.has(one) ? undefined : gone.find((other) => isGoneWith(one, other))?.undone;
    if (undone !== undefined) settled.set(one, verdictOn({ ...one, undone }, readUpTo));
  }
  const verdicts = [...settled.values()];
  const watched = state.watched.flatMap((one) =>
    settled.has(one) ? (settled.get(one)?.watched ?? []) : one,
  );
  return {
    state: { ...state, watched, past: withJudged(state.past, verdicts) },
    outcomes: verdicts.flatMap(({ outcomes = [] }) => outcomes),
  };
}

/** Whether another reading of the log of an alert was undone, by evidence of a level above that of the alert. */
function isGoneWith(one: WatchedAlert, { alert, log, undone }: WatchedAlert): boolean {
  const isHigher = undone !== undefined && isAbove(undone.confidence, one.log.confidence);
  return isHigher && isOtherReading(one, { log, at: alert.at });
}

/** When `settle` next has something to do, in milliseconds; undefined while nothing is watched. */
export function nextSettleAt(
  { watched }: WatchState,
  { slackMs, confirmWithinMs }: WatchSettings,
): number | undefined {
  if (confirmWithinMs === undefined || watched.length === 0) return undefined;
  return watched.reduce((least, one) => Math.min(least, dueAt(one, slackMs, confirmWithinMs)), Infinity);
}

/** What arrives exactly at the end of the slack is in time. */
function dueAt({ undone, raisedAt }: WatchedAlert, slackMs: number, confirmWithinMs: number): number {
  return undone === undefined ? raisedAt + confirmWithinMs : undone.at + slackMs + 1;
}

function verdictOn(one: WatchedAlert, at: number): Judged {
  const { alert, undone, log } = one;
  if (undone === undefined) {
    return { watched: undefined, outcomes: [{ kind: "notConfirmed", alert, at }], stands: one };
  }
  const { reason, stands = false } = undone;
  const place = reason === "level_passed" && !stands ? placeAbove(one, undone.blockNumber) : undefined;
  if (place !== undefined) return moved(one, { to: { ...log, ...place }, isEnd: false, now: at });
  return {
    watched: undefined,
    outcomes: [{ kind: "takenBack", alert, at, reason, stands }],
    ...(stands ? {} : { undone: one }),
  };
}

/** The newest place in which a log was reported, if the level has not reached it yet: it may still be there. */
function placeAbove(
  { others = [] }: WatchedAlert,
  reached: string,
): Pick<LogPlace, "blockNumber" | "logIndex"> | undefined {
  const [blockNumber, logIndex] = others.filter(([block]) => compareBlocks(block, reached) > 0).at(-1) ?? [];
  return blockNumber === undefined || logIndex === undefined ? undefined : { blockNumber, logIndex };
}
