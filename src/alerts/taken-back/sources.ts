import type { LogPlace } from "../types.ts";
import { isAbove } from "./compare.ts";
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
