import { checksumOf } from "../../storage/checksum.ts";
import type { LogPlace } from "../types.ts";
import { compareBlocks, isAbove } from "./log-place.ts";
import { isOtherReading, type Judged, MOST_PLACES, moved } from "./sighted.ts";
import type { Learned, PastLog, Watched, WatchedAlert, WatchSettings, WatchState } from "./types.ts";
import { WatchedAlerts, withChanged } from "./watched.ts";

type Past = WatchState["past"];
type Stood = Pick<WatchedAlert, "alert" | "log" | "others">;

/** What is known of a log. */
type Known = Pick<Learned, "belongsTo" | "again" | "beside">;

/** Logs that are remembered; of more, the newest ones. */
const MOST_PAST = 1_000_000;
/** How long they are remembered. */
const REMEMBER_MS = 2 * 24 * 60 * 60_000;

/** Remembers the logs of alerts that are not watched any longer. */
export function withJudged(past: Past, judged: readonly Judged[], at: number): Past {
  let known = past;
  for (const { undone } of judged) if (undone !== undefined) known = withUndone(known, undone, at);
  for (const { stands, isEnd = false } of judged) {
    if (stands !== undefined) known = withStanding(known, stands, { isEnd, at });
  }
  return known;
}

function withUndone(past: Past, { log, others = [] }: Stood, at: number): Past {
  const before = find(past, log);
  // Of two alerts on one log, the other one was confirmed.
  if (before?.standing !== undefined) return past;
  return added(past, before, log, { others, at, times: (before?.times ?? 0) + 1 });
}

/** Remembers that this alert stands: events of its log raise no further alert. `isEnd`: for good, where `log` is. */
export function withStanding(
  past: Past,
  { alert, log, others = [] }: Stood,
  { isEnd, at }: { isEnd: boolean; at: number },
): Past {
  const before = find(past, log);
  const { times = 0, ends = [] } = before ?? {};
  const place = [log.blockNumber, log.logIndex] as const;
  const more = isEnd ? newestOf([...ends, place]) : ends;
  return added(past, before, log, { others, at, times, standing: alert.id, ends: more });
}

/**
 * What is known of a log that is not that of a watched alert. `isEnd`: nothing can undo it. A transaction may emit the
 * same several times: then each of these logs is an alert, in the block in which one of them stands for good.
 */
export function knownFrom(past: Past, log: LogPlace, isEnd: boolean): Known {
  const found = find(past, log);
  if (found === undefined) return {};
  const { places, confidence, times, standing, ends = [] } = found;
  const again = times === 0 ? {} : { again: times };
  if (standing !== undefined) {
    const isBeside = isEnd && ends.some(([block]) => block === log.blockNumber) && !isAmong(ends, log);
    return isBeside ? { ...again, beside: ends.length } : { belongsTo: standing, ...again };
  }
  // From a place that is known to be replaced, it is a late or redelivered event.
  return isAmong(places, log) && !isAbove(log.confidence, confidence) ? {} : again;
}

function isAmong(places: PastLog["places"], { blockNumber, logIndex }: LogPlace): boolean {
  return places.some(([block, index]) => block === blockNumber && index === logIndex);
}

/** Whether an alert of this log was watched, and is not any longer. */
export function isPast(past: Past, log: LogPlace): boolean {
  return find(past, log) !== undefined;
}

function find(past: Past, log: LogPlace): PastLog | undefined {
  return past.size === 0 ? undefined : past.get(hashOf(log));
}

function added(
  past: Past,
  before: PastLog | undefined,
  log: LogPlace,
  { others, ...more }: Omit<PastLog, "of" | "places" | "confidence"> & { others: PastLog["places"] },
): Past {
  const { blockNumber, logIndex, confidence } = log;
  const places = newestOf([...(before?.places ?? []), ...others, [blockNumber, logIndex]]);
  const of = hashOf(log);
  return withoutOld(past.put(of, { of, places, confidence, ...more }), more.at);
}

function withoutOld(past: Past, at = 0): Past {
  const old: string[] = [];
  for (const [of, one] of past.items.entries()) {
    if (past.size - old.length <= MOST_PAST && (one.at ?? at) >= at - REMEMBER_MS) break;
    old.push(of);
  }
  return old.reduce((rest, of) => rest.remove(of), past);
}

/** Each place once. */
function newestOf(places: PastLog["places"]): PastLog["places"] {
  return [...new Map(places.map((place) => [place.join(), place])).values()].slice(-MOST_PLACES);
}

function hashOf({ chainSelector, transactionHash, contract, content }: LogPlace): string {
  return checksumOf(JSON.stringify([chainSelector, transactionHash, contract, content])).slice(0, 24);
}

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
