import type { Journal } from "../journal/journal.ts";
import { PersistentMap } from "../journal/persistent-map.ts";
import type { Mark } from "./mark.ts";

/** Numbers in a list; more of them are in a map. */
export const FEW = 64;
/** In place of a block: not all are in one. */
const SEVERAL = "*";

/**
 * Numbers of marks, and the block in which all of them are. Of many, such as of a transaction that emits the same again
 * and again, a map is less work.
 */
export type Numbers = { readonly list: readonly string[] | PersistentMap<true>; readonly block: string };
export type Index = PersistentMap<Numbers>;

/** The index of all marks. */
export function indexOf(journal: Journal<Mark>): Index {
  let index: Index = PersistentMap.of();
  for (const [no, mark] of journal.items.entries()) index = indexed(index, no, mark);
  return index;
}

/** The block of a place. */
export function blockOf(place: string | undefined): string | undefined {
  return place?.split(" ")[0];
}

/** With a mark. */
export function indexed(index: Index, no: string, mark: Mark): Index {
  let next = index;
  const own = blockOf(mark.moved ?? mark.place) ?? SEVERAL;
  for (const key of keysOf(mark)) {
    const { list = [], block = own } = next.get(key) ?? {};
    next = next.with(key, { list: withNumber(list, no), block: block === own ? own : SEVERAL });
  }
  return next;
}

/** Without a mark. */
export function unindexed(index: Index, no: string, mark: Mark): Index {
  let next = index;
  for (const key of keysOf(mark)) {
    const known = next.get(key);
    if (known === undefined) continue;
    const { list, block } = known;
    const rest = list instanceof PersistentMap ? list.without(no) : list.filter((other) => other !== no);
    const isEmpty = countOf({ list: rest, block }) === 0;
    next = isEmpty ? next.without(key) : next.with(key, { list: rest, block });
  }
  return next;
}

function withNumber(list: Numbers["list"], no: string): Numbers["list"] {
  if (list instanceof PersistentMap) return list.with(no, true);
  return list.length < FEW ? [...list, no] : PersistentMap.of([...list, no].map((one) => [one, true]));
}

export function countOf(numbers: Numbers | undefined): number {
  const { list = [] } = numbers ?? {};
  return list instanceof PersistentMap ? list.size : list.length;
}

export function* each(numbers: Numbers | undefined): Generator<string> {
  const { list = [] } = numbers ?? {};
  if (list instanceof PersistentMap) for (const [no] of list.entries()) yield no;
  else yield* list;
}

function keysOf({ id, place, moved, tx, also = [] }: Mark): string[] {
  const keys = id === undefined ? [] : [`i${id}`];
  if (tx === undefined) return keys;
  if (place !== undefined) keys.push(`p${tx} ${place}`);
  if (moved !== undefined && moved !== place) keys.push(`p${tx} ${moved}`);
  for (const says of also) keys.push(`s${tx} ${says}`);
  return keys;
}
