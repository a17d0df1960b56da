import type { RaisedAlert } from "../types.ts";
import { isFinal } from "./compare.ts";
import { cleanPlace } from "./log-place.ts";
import { isPast, withStanding } from "./past.ts";
import type { WatchState } from "./types.ts";
import { watchIdOf } from "./watched-alert.ts";

/**
 * Watches whether the log of an alert is undone, from `now` in milliseconds. An alert without a log is not watched, nor
 * one of which no higher level is reported.
 *
 * An alert that is repeated is watched if it never was: the program may have ended before that was stored.
 */
export function watchAlert(
  state: WatchState,
  alert: RaisedAlert,
  {
    now,
    isHighest = false,
    isRepeated = false,
  }: { now: number; isHighest?: boolean | undefined; isRepeated?: boolean },
): WatchState {
  const log = alert.log && cleanPlace(alert.log);
  if (log === undefined) return state;
  const { watched, past } = state;
  if (isRepeated && isPast(past, log)) return state;
  if (isHighest || isFinal(log.confidence)) {
    // Events of a lower level may still come, from blocks that were replaced.
    return state.hasLower
      ? { ...state, past: withStanding(past, { alert, log }, { isEnd: true, at: now }) }
      : state;
  }
  if (watched.has(watchIdOf(alert))) return state;
  const added = { alert, log, raisedAt: now, seenAt: now };
  return { ...state, hasLower: true, watched: watched.add(added) };
}
