import { type Change, Journal } from "../journal/journal.ts";
import { readJournal, sealed } from "../journal/stored-journal.ts";
import type { AlertStore, RaisedAlert } from "../types.ts";
import { cleanPlace, isFinal } from "./log-place.ts";
import { isPast, withStanding } from "./past.ts";
import type { PastLog, WatchState } from "./types.ts";
import { isWatchedAlert, WatchedAlerts } from "./watched.ts";
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

type Stored = Pick<WatchState, "version" | "sources" | "hasLower"> & { watched: unknown; past: unknown };

/** What was remembered; nothing where there is no state, or one of another version. */
export function watchStateOf(value: unknown): WatchState {
  if (!isStored(value)) return { version: 1, watched: WatchedAlerts.of(), sources: [], past: Journal.of() };
  if (value.watched instanceof WatchedAlerts) return value as WatchState;
  // It may be of an earlier version, which had lists.
  const watched = Array.isArray(value.watched) ? WatchedAlerts.of(value.watched) : undefined;
  const past = Array.isArray(value.past) ? pastOf(value.past) : undefined;
  return {
    ...value,
    watched: watched ?? WatchedAlerts.read(openOf(value.watched, isWatchedAlert)),
    past: past ?? openOf(value.past, isPastLog),
  };
}

/** What a store has; `known`: what it had before. */
export async function readWatch(
  value: unknown,
  store: AlertStore,
  known: WatchState | undefined,
): Promise<WatchState> {
  if (!isStored(value) || Array.isArray(value.watched)) return watchStateOf(value);
  const watched = await readJournal(value.watched, store, isWatchedAlert, known?.watched.journal);
  const past = await readJournal(value.past, store, isPastLog, known?.past);
  return {
    ...value,
    watched: WatchedAlerts.read(
      watched?.journal ?? Journal.of(),
      known && { watched: known.watched, changed: watched?.changed },
    ),
    past: past?.journal ?? Journal.of(),
  };
}

/** The same state, with few changes that are in no segment. */
export async function sealedWatch(state: WatchState, store: AlertStore): Promise<WatchState> {
  const watched = await sealed(state.watched.journal, store);
  const past = await sealed(state.past, store);
  if (watched === state.watched.journal && past === state.past) return state;
  return { ...state, watched: state.watched.of(watched), past };
}

function pastOf(past: readonly PastLog[]): Journal<PastLog> {
  return Journal.of(past.map((one) => [one.of, one]));
}

/** A journal without segments. */
function openOf<Item>(stored: unknown, isItem: (item: unknown) => item is Item): Journal<Item> {
  const { open = [] } = (stored ?? {}) as { open?: Array<Change<unknown>> };
  const items = open.flatMap(([id, item]) => (isItem(item) ? [[id, item] as const] : []));
  return Journal.of(items);
}

function isStored(value: unknown): value is Stored {
  return typeof value === "object" && value !== null && "version" in value && value.version === 1;
}

function isPastLog(value: unknown): value is PastLog {
  const { of, places, times } = (value ?? {}) as Partial<PastLog>;
  return typeof of === "string" && Array.isArray(places) && Number.isFinite(times);
}
