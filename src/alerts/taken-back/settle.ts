import type { AlertOutcome } from "../types.ts";
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
  const gone = new Set(due);
  return {
    state: { ...state, watched: state.watched.filter((one) => !gone.has(one)) },
    outcomes: due.map((one) => outcomeOf(one, readUpTo)),
  };
}

/** When `settle` next has something to do, in milliseconds; undefined while nothing is watched. */
export function nextSettleAt(
  { watched }: WatchState,
  { slackMs, confirmWithinMs }: WatchSettings,
): number | undefined {
  if (confirmWithinMs === undefined || watched.length === 0) return undefined;
  return watched.reduce((least, one) => Math.min(least, dueAt(one, slackMs, confirmWithinMs)), Infinity);
}

function dueAt({ undone, raisedAt }: WatchedAlert, slackMs: number, confirmWithinMs: number): number {
  return undone === undefined ? raisedAt + confirmWithinMs : undone.at + slackMs;
}

function outcomeOf({ alert, undone }: WatchedAlert, at: number): AlertOutcome {
  if (undone === undefined) return { kind: "notConfirmed", alert, at };
  return { kind: "takenBack", alert, at, reason: undone.reason, stands: undone.stands ?? false };
}
