import type { Cursor, Step } from "./cursors.ts";
import type { Yielder } from "./yielder.ts";

type Walk = {
  /** A place matches when each cursor has it. */
  cursors: readonly Cursor[];
  /** A condition beyond the cursors, checked only for places that all of them have. */
  matches?: ((place: number) => boolean) | undefined;
  /** Called for each place of the page in the same turn of the event loop in which it is found. */
  take?: (place: number) => void;
  /** Called after yielding: rows may have changed. */
  resume?: () => void;
  /** The first and the last possible place. */
  from: number;
  to: number;
  step: Step;
  /** Matches before the first one of the page. */
  skip: number;
  limit: number;
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Found = { places: number[]; hasMore: boolean };

/** The places of one page, in order; none when the caller has gone. It yields to the event loop. */
export async function walk(walk: Walk, yielder: Yielder): Promise<Found> {
  const { cursors, matches, to, step, limit } = walk;
  let { from: place, skip } = walk;
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
