import { checksumOf } from "../../files/checksum.ts";
import type { LogPlace, RaisedAlert } from "../types.ts";
import { isAbove } from "./compare.ts";
import type { Judged } from "./sighted.ts";
import type { PastLog, WatchedAlert, WatchState } from "./types.ts";

type Past = WatchState["past"];

/** Logs and places of each that are remembered; of more, the newest ones. */
const MOST_PAST = 200;
const MOST_PLACES = 8;

/** Remembers the logs of alerts that are not watched any longer. */
export function withJudged(past: Past, judged: readonly Judged[]): Past {
  const undone = judged.flatMap((one) => one.undone ?? []).reduce(withUndone, past);
  return judged
    .flatMap((one) => one.stands ?? [])
    .reduce((known, { alert, log, others }) => withStanding(known, alert, log, others), undone);
}

function withUndone(past: Past, { log, others = [] }: WatchedAlert): Past {
  const before = find(past, log);
  // Of two alerts on one log, the other one was confirmed.
  if (before?.standing !== undefined) return past;
  return added(past, before, log, { others, times: (before?.times ?? 0) + 1 });
}

/** Remembers that this alert stands: events of its log raise no further alert. */
export function withStanding(
  past: Past,
  alert: RaisedAlert,
  log: LogPlace,
  others: WatchedAlert["others"] = [],
): Past {
  const before = find(past, log);
  return added(past, before, log, { others, times: before?.times ?? 0, standing: alert.id });
}

/** What is known of a log that is not that of a watched alert. */
export function knownFrom(past: Past, log: LogPlace): { belongsTo?: string; again?: number } {
  const found = find(past, log);
  if (found === undefined) return {};
  const { places, confidence, times, standing } = found;
  const again = times === 0 ? {} : { again: times };
  const isKnown = places.some(([block, index]) => block === log.blockNumber && index === log.logIndex);
  if (standing !== undefined && (isKnown || !isBeside(found, log))) return { belongsTo: standing, ...again };
  // From a place that is known to be replaced, it is a late or redelivered event.
  return isKnown && !isAbove(log.confidence, confidence) ? {} : again;
}

/** Whether it is in the block in which a log stands, at its level or a higher one: one transaction emitted both. */
function isBeside({ places, confidence }: PastLog, log: LogPlace): boolean {
  return places.at(-1)?.[0] === log.blockNumber && !isAbove(confidence, log.confidence);
}

/** Whether an alert of this log was watched, and is not any longer. */
export function isPast(past: Past, log: LogPlace): boolean {
  return find(past, log) !== undefined;
}

function find(past: Past, log: LogPlace): PastLog | undefined {
  if (past.length === 0) return undefined;
  const of = hashOf(log);
  return past.find((one) => one.of === of);
}

function added(
  past: Past,
  before: PastLog | undefined,
  log: LogPlace,
  { others, ...more }: Pick<PastLog, "times" | "standing"> & { others: PastLog["places"] },
): Past {
  const { blockNumber, logIndex, confidence } = log;
  const all = [...(before?.places ?? []), ...others, [blockNumber, logIndex] as const];
  // The last place of the log stays the last one, where it was there before.
  const newestFirst = new Map(all.toReversed().map((place) => [place.join(), place]));
  const places = [...newestFirst.values()].slice(0, MOST_PLACES).reverse();
  const one: PastLog = { of: hashOf(log), places, confidence, ...more };
  return [...past.filter((other) => other !== before), one].slice(-MOST_PAST);
}

function hashOf({ chainSelector, transactionHash, contract, content }: LogPlace): string {
  return checksumOf(JSON.stringify([chainSelector, transactionHash, contract, content])).slice(0, 24);
}
