import type { AlertSettings, RaisedAlert } from "../types.ts";
import { Cells } from "./cells.ts";
import type { Counted, KnownLog, Mark } from "./ids.ts";
import { Logs } from "./logs.ts";
import type { Pending } from "./pending.ts";

export type { Counted, Mark };

/** What a rule remembers of one key. It is never changed: a step returns another one. See `key-form.ts` for its JSON. */
export type KeyState = {
  v: 1;
  /** As alerts name it. */
  key: string;
  /** The event time of the newest input that counts. */
  newest: number;
  /** What was counted, so that it counts once. */
  logs: Logs;
  /** What is in its windows. */
  cells: Cells;
  /** Of inputs that state whether the condition holds: where the log of the newest one is, if that is known. */
  last?: { chain: string; place: string; tx: string; says: string };
  /** The key was forgotten before: inputs up to this time are not counted. */
  floor?: number;
  /** Of a rate: how many there were in each part of the compared time that has any. */
  parts?: Array<[part: number, count: number]>;
  /** Of a rate: nothing but `parts` can count any more, until the next input. */
  isPast?: true;
  /** Of the tokens that are summed: the most that one of them has. */
  decimals?: number;
  /** How many alerts there were, which makes ids without an input's id differ. */
  raised: number;
  /** The event times of alerts that may still keep an input quiet, the earliest first; the latest one always. */
  alertTimes?: number[];
  /** The same of earlier alerts, where there were many: from the first of some to the last. */
  alertRanges?: AlertRange[];
  /** What matched since the last alert, and was not told; and the time of the newest of it. */
  suppressed: number;
  lastAt?: number;
  /** The open alert: its condition still holds, or was not told to have ended. Of a rule without an end, the newest one. */
  active?: RaisedAlert;
  /** Of the open alert: how many reminders there were. */
  reminders?: number;
  /** The open alert came within the quiet time of the one before: its end is held back. */
  soon?: true;
  /** An end that is held back: when it was, until when it is known to be so, and how often that changed. */
  held?: { isOver: boolean; at: number; until?: number; changes: number };
  /** What the inputs of the open alert are about. */
  subject?: string;
  /** How many events hold the open alert, of those that `withoutLog` can take away. */
  holding?: number;
  /** Since when they hold it: earlier ones were over already. */
  holdsFrom?: number;
  /** The rule that opened it does not tell its end. */
  noEnd?: true;
  /** The alert that ended last, and when. */
  over?: { id: string; at: number };
  /** Of an absence: since when it is awaited, where that is not `newest`; `UNAWAITED` before the next input. */
  from?: number;
  /** Of an absence: since when it was awaited as it was noticed. */
  noticed?: number;
  /** Of a sum: up to when it is known how it came to reach its limit. */
  reachedAt?: number;
  /** The latest recovery that an input led to. */
  ended?: { by: string; alert: RaisedAlert; at: number };
  /** Outcomes without an input that were not yet acknowledged. */
  pending?: Pending;
  /** In a shared store: the rule whose windows and incident these are, and those of other rules: see `aside.ts`. */
  rule?: string;
  aside?: KeyState[];
};

/** What a step knows besides the state of the key. */
export type StepContext = {
  ruleId: string;
  /** The key of the record, which is short whatever the key of the input. */
  recordKey: string;
  /** The present, in milliseconds. */
  now: number;
  /** The event time from which on the rule saw everything. */
  since: number;
  /** Keys that were removed had nothing left to count up to this event time. */
  forgottenUpTo: number;
  /** What the slowest source may still report is not older than this; infinity where that is not known. */
  reportedUpTo: number;
  /** Whether outcomes that no input led to are kept in the state. */
  keepsPending: boolean;
  /** The log of the input has raised an alert already, perhaps from another block. */
  isCounted?: boolean;
  /** It has not, but the same log has, which is final in the same block. */
  isBeside?: boolean;
  /** The log of the input: see `logOf`. Its id is the same in each block, and is remembered instead of that of the input. */
  log?: KnownLog;
};

/** How far ahead of the present clock the time of an event may be; one beyond it counts as this far ahead. */
export const MOST_AHEAD_MS = 10 * 60_000;
/** An alert for each event has no window: how long the ids of events are remembered, in event time. */
const REMEMBER_EACH_MS = 24 * 60 * 60_000;
/** Times of alerts of one key that are known one by one, so that each can be undone. */
const MOST_TIMES = 1_000;
/** Ranges of earlier ones. */
const MOST_RANGES = 1_000;

type AlertRange = [first: number, last: number];

export function newState(key: string, newest: number): KeyState {
  return { v: 1, key, newest, logs: Logs.empty(), cells: Cells.empty(), raised: 0, suppressed: 0 };
}

/** Of a key that another rule has counted. No event has this time. */
export const UNAWAITED = -1;

/** Since when an absence is awaited; undefined where it is not. */
export function awaitedFrom({ from, newest }: Pick<KeyState, "from" | "newest">): number | undefined {
  return from === UNAWAITED ? undefined : (from ?? newest);
}

/** Whether each input states if the condition holds. */
export function isOfState({ when, recovers }: AlertSettings): boolean {
  return when.kind === "each" && recovers;
}

/** The length of the window; for `each`, the time for which ids are remembered. */
export function windowMs(settings: AlertSettings): number {
  const { when } = settings;
  if (when.kind === "each") return REMEMBER_EACH_MS;
  return when.kind === "absence" ? when.forMs : when.withinMs;
}

/** An input that is older than the newest one, and than what is reported, by more than this is not counted. */
export function horizonMs(settings: AlertSettings): number {
  return windowMs(settings) + settings.slackMs;
}

/** The time of an event, with a bound for clocks that are wrong. */
export function boundedTime(at: number, now: number): number {
  return Number.isFinite(at) ? Math.max(0, Math.min(at, now + MOST_AHEAD_MS)) : now;
}

/** Whether an alert at this time would be too close to another one of the key. */
export function isQuiet(
  { quietMs }: AlertSettings,
  { alertTimes = [], alertRanges = [] }: KeyState,
  at: number,
): boolean {
  const last = alertTimes.findLast((time) => time < at + quietMs);
  if (last !== undefined && last > at - quietMs) return true;
  const range = alertRanges.findLast(([first]) => first < at + quietMs);
  return range !== undefined && range[1] > at - quietMs;
}

/** The state without the times of alerts that are too early for any input that still counts: `oldest` is its time. */
export function withoutOldTimes(state: KeyState, settings: AlertSettings, oldest: number): KeyState {
  const { alertTimes = [], alertRanges = [], floor = oldest } = state;
  const { quietMs } = settings;
  const from = quietMs > 0 ? Math.max(oldest, floor) - quietMs : Number.POSITIVE_INFINITY;
  const first = Math.max(
    0,
    alertTimes.findIndex((time, index) => time > from || index === alertTimes.length - 1),
  );
  const isOld = first > 0 || alertTimes.length > MOST_TIMES || Number(alertRanges[0]?.[1]) <= from;
  if (!isOld) return state;
  const kept = alertTimes.slice(first);
  const early = kept.splice(0, kept.length - MOST_TIMES);
  const recent = alertRanges.filter(([, last]) => last > from);
  const ranges = early.reduce((all, time) => withTime(all, time, quietMs), recent);
  const { alertRanges: _ranges, ...rest } = state;
  return { ...rest, alertTimes: kept, ...(ranges.length > 0 && { alertRanges: ranges }) };
}

/**
 * What is between two alerts is quiet as a whole if they are less than two quiet times apart: then nothing is lost where
 * they are one range. Of too many ranges, the earliest become one, and what comes so late is quiet between them as well.
 */
function withTime(ranges: readonly AlertRange[], time: number, quietMs: number): AlertRange[] {
  const place = ranges.findLastIndex(([first]) => first <= time) + 1;
  const all: AlertRange[] = [];
  for (const [first, last] of [
    ...ranges.slice(0, place),
    [time, time] as AlertRange,
    ...ranges.slice(place),
  ]) {
    const before = all.at(-1);
    if (before !== undefined && first - before[1] < 2 * quietMs) before[1] = Math.max(before[1], last);
    else all.push([first, last]);
  }
  while (all.length > MOST_RANGES) {
    const [[first], [, last], ...others] = all as [AlertRange, AlertRange, ...AlertRange[]];
    all.splice(0, all.length, [first, last], ...others);
  }
  return all;
}
