import type { Cursor, Step } from "./cursors.ts";
import type { Yielder } from "./yielder.ts";

type Walk = {
  /** A place counts when each of them has it; without any, every place does. */
  cursors: readonly Cursor[];
  /** What cursors cannot tell; asked only for places that all of them have. */
  matches?: ((place: number) => boolean) | undefined;
  /** Is told of each place of the page in the turn in which it is found. */
  take?: (place: number) => void;
  /** Is called when others had a turn, and may have changed what is walked. */
  resume?: () => void;
  /** The first place and the last one that may count. */
  from: number;
  to: number;
  step: Step;
  /** So many matches are left out before the first one of the page. */
  skip: number;
  limit: number;
  /** Whether nobody waits for the answer any more. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Found = { places: number[]; hasMore: boolean };

/** The places of one page, in order; none when nobody waits any more. However far it goes, others get their turns. */
export async function walk(walk: Walk, yielder: Yielder): Promise<Found> {
  const { cursors, matches, to, step, limit } = walk;
  let { from: place, skip } = walk;
  if (cursors.length === 0 && matches === undefined) {
    place += step * skip;
    skip = 0;
  }
  const places: number[] = [];
  while ((to - place) * step >= 0) {
    if (yielder.shouldYield()) {
      await yielder.yield();
      if (walk.isAbandoned?.() === true) return { places: [], hasMore: false };
      walk.resume?.();
    }
    const asked = place;
    for (const cursor of cursors) place = cursor.seek(place);
    if (place !== asked) continue;
    if (matches === undefined || matches(place)) {
      if (skip > 0) skip -= 1;
      else if (places.length === limit) return { places, hasMore: true };
      else {
        places.push(place);
        walk.take?.(place);
      }
    }
    place += step;
  }
  return { places, hasMore: false };
}
