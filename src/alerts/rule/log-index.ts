import type { Journal } from "../journal/journal.ts";
import { PersistentMap } from "../journal/journal.ts";
import type { Mark } from "./ids.ts";

/** Numbers in a list; more of them are in a map. */
export const FEW = 64;

/** Of many marks, such as of a transaction that emits the same again and again, a map is less work. */
type Many = {
  readonly numbers: PersistentMap<true>;
  /** Undefined where not all are in one block. */
  readonly block: string | undefined;
};
/** Almost all keys have one number, which takes no memory of its own. */
type Numbers = string | readonly string[] | Many;
export type Index = PersistentMap<Numbers>;
/** The marks that are in the index. */
type Marks = Pick<Journal<Mark>, "get">;

/** By what a mark is found: what its log says, where it is, and what other readings of it say. No two can be the same. */
export const keys = {
  id: (id: string): string => id,
  place: (tx: string, place: string): string => [tx, place].join(" "),
  says: (tx: string, says: string): string => ["s", tx, says].join(" "),
};

/** The index of all marks. */
export function indexOf(journal: Journal<Mark>): Index {
  let index: Index = PersistentMap.of();
  for (const [no, mark] of journal.items.entries()) index = indexed(index, { no, mark, marks: journal });
  return index;
}

/** The block of a place. */
export function blockOf(place: string | undefined): string | undefined {
  return place?.split(" ")[0];
}

/** With a mark. */
export function indexed(index: Index, { no, mark, marks }: { no: string; mark: Mark; marks: Marks }): Index {
  const withNumber = (numbers: Numbers | undefined): Numbers => {
    if (numbers === undefined) return no;
    if (isMany(numbers)) return withMark(numbers, no, mark);
    const list = typeof numbers === "string" ? [numbers] : numbers;
    if (list.length < FEW) return [...list, no];
    const many = {
      numbers: PersistentMap.of(list.map((one) => [one, true] as const)),
      block: commonBlock(list, marks),
    };
    return withMark(many, no, mark);
  };
  return keysOf(mark).reduce((next, key) => next.with(key, withNumber(next.get(key))), index);
}

/** Without a mark. */
export function unindexed(index: Index, no: string, mark: Mark): Index {
  return keysOf(mark).reduce((next, key) => {
    const known = next.get(key);
    if (known === undefined) return next;
    const rest = isMany(known)
      ? { ...known, numbers: known.numbers.without(no) }
      : [known].flat().filter((other) => other !== no);
    return countOf(rest) === 0 ? next.without(key) : next.with(key, rest);
  }, index);
}

function withMark({ numbers, block }: Many, no: string, mark: Mark): Many {
  return { numbers: numbers.with(no, true), block: block === blockOfMark(mark) ? block : undefined };
}

function commonBlock(list: readonly string[], marks: Marks): string | undefined {
  const blocks = new Set(list.map((no) => blockOfMark(marks.get(no))));
  return blocks.size === 1 ? [...blocks][0] : undefined;
}

function blockOfMark(mark: Mark | undefined): string | undefined {
  return blockOf(mark?.moved ?? mark?.place);
}

function isMany(numbers: Numbers): numbers is Many {
  return typeof numbers === "object" && "numbers" in numbers;
}

function countOf(numbers: Numbers): number {
  return isMany(numbers) ? numbers.numbers.size : typeof numbers === "string" ? 1 : numbers.length;
}

/** Whether there are many, and all in this block. */
export function areManyIn(block: string | undefined, numbers: Numbers | undefined): boolean {
  if (block === undefined || numbers === undefined || !isMany(numbers)) return false;
  return numbers.block === block && countOf(numbers) > FEW;
}

export function* each(numbers: Numbers | undefined): Generator<string> {
  if (numbers === undefined) return;
  if (isMany(numbers)) for (const [no] of numbers.numbers.entries()) yield no;
  else if (typeof numbers === "string") yield numbers;
  else yield* numbers;
}

function keysOf({ id, place, moved, tx, also = [] }: Mark): string[] {
  const all = id === undefined ? [] : [keys.id(id)];
  if (tx === undefined) return all;
  if (place !== undefined) all.push(keys.place(tx, place));
  if (moved !== undefined && moved !== place) all.push(keys.place(tx, moved));
  return [...all, ...also.map((says) => keys.says(tx, says))];
}
