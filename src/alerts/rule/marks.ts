import type { Arrival } from "./arrival.ts";
import { isMatchId } from "./ids.ts";
import type { KeyState, Mark } from "./state.ts";

/** Adds a mark behind those of the same time. */
export function withMark(marks: readonly Mark[], mark: Mark): { marks: Mark[]; index: number } {
  let index = marks.length;
  while (index > 0 && Number(marks[index - 1]?.at) > mark.at) index -= 1;
  return { marks: marks.toSpliced(index, 0, mark), index };
}

/**
 * The mark of an input. A transaction may emit the same several times, each with a mark; but it is in one block at a
 * time, so that what comes from another block is what had a mark before.
 */
export function findMark({ marks }: KeyState, id: string | undefined, place?: string): Mark | undefined {
  if (id === undefined) return undefined;
  let moved: Mark | undefined;
  let elsewhere: Mark | undefined;
  // There may be thousands: a callback for each takes longer.
  for (const mark of marks) {
    if (mark.id !== id) continue;
    if (mark.place === place) return mark;
    if (mark.moved === place) moved ??= mark;
    else if (blockOf(mark.moved ?? mark.place) !== blockOf(place)) elsewhere ??= mark;
  }
  return moved ?? elsewhere;
}

/** A log, as one watcher reads it. */
export type Reading = { place: string; at: number; tx: string; says: string };

/** Other readings that are remembered for a log. */
const MOST_READINGS = 8;

/**
 * The mark of the same log with another content: two watchers read it with different ABIs. It is at the same place and
 * time. A block that replaces another one of its number has another time, and may have another log of the transaction
 * there. A reading that was seen before is also known from another block. A mark that matches comes first.
 */
export function findOtherReading({ marks }: KeyState, reading: Reading): Mark | undefined {
  let found: Mark | undefined;
  for (const mark of marks) {
    if (mark.tx !== reading.tx || mark.says === reading.says) continue;
    if (!isAt(mark, reading) && !isKnown(mark, reading)) continue;
    if (isOfMatch(mark)) return mark;
    found ??= mark;
  }
  return found;
}

/** Whether the input of a mark matched. */
export function isOfMatch({ id }: Mark): boolean {
  return id !== undefined && isMatchId(id);
}

/** The state with another reading of a log, which does not count. */
export function withReading(state: KeyState, mark: Mark, reading: Reading): KeyState {
  const { also = [] } = mark;
  const { says } = reading;
  const known = also.includes(says) ? mark : { ...mark, also: [...also, says].slice(-MOST_READINGS) };
  return replaced(state, mark, isAt(known, reading) ? known : movedTo(known, reading));
}

/** The state with the other place or time of a log. It counts once. */
export function movedIn(state: KeyState, mark: Mark, to: Pick<Reading, "place" | "at">): KeyState {
  return isAt(mark, to) ? state : replaced(state, mark, movedTo(mark, to));
}

function replaced(state: KeyState, mark: Mark, by: Mark): KeyState {
  return by === mark ? state : { ...state, marks: state.marks.with(state.marks.indexOf(mark), by) };
}

function movedTo(mark: Mark, { place, at }: Pick<Reading, "place" | "at">): Mark {
  return { ...mark, moved: place, movedAt: at };
}

function isAt(mark: Mark, { place, at }: Pick<Reading, "place" | "at">): boolean {
  return (mark.place === place && mark.at === at) || (mark.moved === place && mark.movedAt === at);
}

function isKnown({ also, place, moved }: Mark, reading: Reading): boolean {
  if (also === undefined || !also.includes(reading.says)) return false;
  return (
    place === reading.place || moved === reading.place || blockOf(moved ?? place) !== blockOf(reading.place)
  );
}

/** What a mark has of its input, so that it is known when it comes again. */
export function identified({ id, context }: Pick<Arrival, "id" | "context">): Partial<Mark> {
  return id === undefined ? {} : { ...context.log, id };
}

function blockOf(place: string | undefined): string | undefined {
  return place?.split(" ")[0];
}

/** The marks that are not older than this. */
export function since(marks: Mark[], at: number): Mark[] {
  const first = marks.findIndex((mark) => mark.at >= at);
  if (first === 0) return marks;
  return first === -1 ? [] : marks.slice(first);
}

/**
 * At most as many marks as allowed. Of the older half each two become one, with their sum, at the later of their times:
 * so many small events do not push a large one out of the window. The ids of those are forgotten: see `floor`.
 */
export function bounded(state: KeyState, maxMarks: number): KeyState {
  if (state.marks.length <= maxMarks) return state;
  const older = state.marks.slice(0, Math.max(2, state.marks.length >> 1));
  const pairs: Mark[] = [];
  for (let index = 0; index < older.length; index += 2) {
    const [first, second] = older.slice(index, index + 2);
    if (first !== undefined) pairs.push(second === undefined ? first : joined(first, second));
  }
  const floor = Math.max(state.floor ?? 0, ...older.slice(-1).map((mark) => mark.at));
  return bounded({ ...state, floor, marks: [...pairs, ...state.marks.slice(older.length)] }, maxMarks);
}

function joined(first: Mark, second: Mark): Mark {
  const both = [first, second].filter(({ used }) => used === undefined);
  const n = both.reduce((sum, mark) => sum + mark.n, 0);
  const amount = both.reduce((sum, mark) => sum + BigInt(mark.amount ?? 0), 0n);
  const hasAmount = both.some((mark) => mark.amount !== undefined);
  return { at: second.at, n, ...(hasAmount ? { amount: String(amount) } : {}) };
}
