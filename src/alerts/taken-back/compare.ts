import { rankOf } from "../../consumer/delivery/contract-event.ts";
import { CONFIDENCES } from "../../protocol/index.ts";
import type { LogPlace } from "../types.ts";
import type { WatchState } from "./types.ts";

type Sources = WatchState["sources"];

/** Remembered, with the levels at which they report; of more, the newest ones. */
const MOST_SOURCES = 100;
/** A source may state any level. */
const MOST_LEVELS = 4;

/** Remembers that this source reports at this level. The same list where that is known. */
export function noteSource(sources: Sources, { source, confidence }: LogPlace): Sources {
  if (!isAbove(confidence, "latest")) return sources;
  const levels = sources.find(([name]) => name === source)?.[1] ?? [];
  if (levels.includes(confidence) || levels.length >= MOST_LEVELS) return sources;
  const others = sources.filter(([name]) => name !== source).slice(1 - MOST_SOURCES);
  return [...others, [source, [...levels, confidence]]];
}

/** Whether a source is known to report at a level above `confidence`, up to `most`. */
export function reportsAbove(sources: Sources, { source, confidence }: LogPlace, most: string): boolean {
  const levels = sources.find(([name]) => name === source)?.[1] ?? [];
  return levels.some((level) => isAbove(level, confidence) && !isAbove(level, most));
}

/** Below 0 where the first one is lower. Both are decimal digits without leading zeros. */
export function compareBlocks(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one === other ? 0 : one < other ? -1 : 1;
}

export function isFinal(confidence: string): boolean {
  return rankOf(confidence) === CONFIDENCES.length - 1;
}

/** Whether one level is above the other. A level that this version does not know counts as the weakest. */
export function isAbove(confidence: string, other: string): boolean {
  return rankOf(confidence) > rankOf(other);
}

export function isTransaction(
  one: Pick<LogPlace, "chainSelector" | "transactionHash">,
  other: Pick<LogPlace, "chainSelector" | "transactionHash">,
): boolean {
  return one.transactionHash === other.transactionHash && one.chainSelector === other.chainSelector;
}

/** Whether both are at one index of one block, by a transaction. */
export function isSamePlace(one: LogPlace, other: LogPlace): boolean {
  return (
    isTransaction(one, other) && one.blockNumber === other.blockNumber && one.logIndex === other.logIndex
  );
}

/** Whether one transaction emitted the same in both places. */
export function isSameLog(one: LogPlace, other: LogPlace): boolean {
  return isTransaction(one, other) && one.contract === other.contract && one.content === other.content;
}
