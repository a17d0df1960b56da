import type { LogPlace } from "../types.ts";
import { compareBlocks, isAbove } from "./compare.ts";
import { withJudged } from "./past.ts";
import { isOtherReading, type Judged, moved } from "./sighted.ts";
import type { Watched, WatchedAlert, WatchSettings, WatchState } from "./types.ts";
import { WatchedAlerts, withChanged } from "./watched.ts";

/**
 * What is due, once all inputs up to `readUpTo` (milliseconds) were given: alerts whose logs were undone and did not
 * reappear within the slack, and alerts that were not confirmed in time. Neither is watched any longer. Call it only
 * while the channel is read up to the present: an event that confirms the log may be among those that were not read.
 */
export function settle(state: WatchState, settings: WatchSettings, readUpTo: number): Watched {
  const { confirmWithinMs } = settings;
  if (confirmWithinMs === undefined) {
    const isNone = state.watched.size === 0;
    return { state: isNone ? state : { ...state, watched: WatchedAlerts.of() }, outcomes: [] };
  }
  if (Number(nextSettleAt(state, settings) ?? Number.POSITIVE_INFINITY) > readUpTo) {
    return { state, outcomes: [] };
  }
  state.watched.look();
  const due = state.watched.all().filter((one) => dueAt(one, settings.slackMs, confirmWithinMs) <= readUpTo);
  if (due.length === 0) return { state, outcomes: [] };
  const settled = new Map(due.map((one) => [one, verdictOn(one, readUpTo)]));
  for (const gone of [...settled.values()].flatMap(({ undone }) => undone ?? [])) {
    const { undone } = gone;
    for (const one of state.watched.atPlace(gone.log)) {
      if (settled.has(one) || undone === undefined || !isGoneWith(one, gone)) continue;
      settled.set(one, verdictOn({ ...one, undone }, readUpTo));
    }
  }
  const verdicts = [...settled.values()];
  const watched = withChanged(
    state.watched,
    [...settled].map(([one, judged]) => ({ one, judged })),
  );
  return {
    state: { ...state, watched, past: withJudged(state.past, verdicts, readUpTo) },
    outcomes: verdicts.flatMap(({ outcomes = [] }) => outcomes),
  };
}

/** Whether another reading of the log of an alert was undone, by evidence of a level above that of the alert. */
function isGoneWith(one: WatchedAlert, { alert, log, undone }: WatchedAlert): boolean {
  const isHigher = undone !== undefined && isAbove(undone.confidence, one.log.confidence);
  return isHigher && isOtherReading(one, { log, at: alert.at });
}

/** When `settle` next has something to do, or earlier, in milliseconds; undefined while nothing is watched. */
export function nextSettleAt(
  { watched }: WatchState,
  { slackMs, confirmWithinMs }: WatchSettings,
): number | undefined {
  if (confirmWithinMs === undefined || watched.size === 0) return undefined;
  const { raisedAt, undoneAt } = watched.earliest;
  return Math.min(raisedAt + confirmWithinMs, undoneAt + slackMs + 1);
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
