import type { RaisedAlert } from "../types.ts";
import { isFinal } from "./compare.ts";
import { cleanPlace } from "./log-place.ts";
import { isPast, withStanding } from "./past.ts";
import type { WatchedAlert, WatchState } from "./types.ts";

/** Alerts that are watched at the same time; more are not watched. */
export const WATCHED_ALERTS = 400;

const NOTHING: WatchState = { version: 1, watched: [], sources: [], past: [] };

/** What was remembered; nothing where there is no state, or one of another version. */
export function watchStateOf(value: unknown): WatchState {
  const isState = typeof value === "object" && value !== null && "version" in value && value.version === 1;
  return isState ? (value as WatchState) : NOTHING;
}

/**
 * Watches whether the log of an alert is undone, from `now` in milliseconds. An alert without a log is not watched, nor
 * one of which no higher level is reported.
 *
 * An alert that is repeated is watched if it never was: the program may have ended before that was stored.
 *
 * `isFull`: it should be watched, but too many are.
 */
export function watchAlert(
  state: WatchState,
  alert: RaisedAlert,
  {
    now,
    isHighest = false,
    isRepeated = false,
  }: { now: number; isHighest?: boolean | undefined; isRepeated?: boolean },
): { state: WatchState; isFull: boolean } {
  const log = alert.log && cleanPlace(alert.log);
  if (log === undefined) return { state, isFull: false };
  const { watched, past } = state;
  if (isRepeated && isPast(past, log)) return { state, isFull: false };
  if (isHighest || isFinal(log.confidence)) {
    // Events of a lower level may still come, from blocks that were replaced.
    const standing = state.hasLower ? { ...state, past: withStanding(past, { alert, log }, true) } : state;
    return { state: standing, isFull: false };
  }
  // A reminder has the id of its alert, and a log of its own.
  const isKnown = (one: WatchedAlert) => one.alert.id === alert.id && one.alert.reminder === alert.reminder;
  if (watched.some(isKnown)) return { state, isFull: false };
  if (watched.length >= WATCHED_ALERTS) return { state, isFull: true };
  const added = { alert, log, raisedAt: now, seenAt: now };
  return { state: { ...state, hasLower: true, watched: [...watched, added] }, isFull: false };
}
