import type { Found, Step } from "../lists.ts";
import type { Yielder } from "../yielder.ts";
import type { BlockCursor } from "./cursors.ts";
import { addAll, BLOCK, blockOf, count, each, intersect, keepBetween, keepOnly, placesOf } from "./places.ts";

type EventWalk = {
  /** An event matches when each cursor has it; without cursors, every event does. */
  cursors: readonly BlockCursor[];
  /** A condition beyond the cursors, checked only for offsets that all of them have. */
  matches?: ((offset: number) => boolean) | undefined;
  /** The first and the last possible offset. */
  from: number;
  to: number;
  step: Step;
  /** Matches before the first one of the page. */
  skip: number;
  limit: number;
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

/**
 * The offsets of one page, in order; none when the caller has gone. It counts the matches of a block that the page leaves
 * out, without looking at each of them. It yields to the event loop.
 */
export async function walkEvents(walk: EventWalk, yielder: Yielder): Promise<Found> {
  const { cursors, matches, to, step, limit } = walk;
  const { from } = walk;
  let { skip } = walk;
  if (cursors.length === 0 && matches === undefined) {
    if (yielder.shouldYield()) {
      await yielder.yield();
      if (walk.isAbandoned?.() === true) return { places: [], hasMore: false };
    }
    return allFrom(from + step * skip, walk);
  }
  const places: number[] = [];
  if ((to - from) * step < 0) return { places, hasMore: false };
  const found = placesOf([]);
  let block = blockOf(from);
  while ((blockOf(to) - block) * step >= 0) {
    if (yielder.shouldYield()) {
      await yielder.yield();
      if (walk.isAbandoned?.() === true) return { places: [], hasMore: false };
    }
    const asked = block;
    for (const cursor of cursors) block = cursor.seek(block);
    if (block !== asked) continue;
    const start = block * BLOCK;
    addAll(found);
    for (const cursor of cursors) {
      const places = cursor.places(block);
      if (places !== undefined && !intersect(found, places)) break;
    }
    keepBetween(found, Math.min(from, to) - start, Math.max(from, to) - start);
    if (matches !== undefined) keepOnly(found, (place) => matches(start + place));
    const total = count(found);
    block += step;
    if (total <= skip) {
      skip -= total;
      continue;
    }
    for (const place of each(found, step)) {
      if (skip > 0) skip -= 1;
      else if (places.length === limit) return { places, hasMore: true };
      else places.push(start + place);
    }
  }
  return { places, hasMore: false };
}

/** A page of all offsets. */
function allFrom(from: number, { to, step, limit }: EventWalk): Found {
  const left = Math.max((to - from) * step + 1, 0);
  const places: number[] = [];
  for (let index = 0; index < Math.min(left, limit); index += 1) places.push(from + step * index);
  return { places, hasMore: left > limit };
}
