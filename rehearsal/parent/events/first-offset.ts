import type { ChannelPages } from "./channel-pages.ts";
import { timeOf } from "./event-time.ts";

/** So many offsets earlier, since times do not always increase with offsets. */
const MARGIN = 200;

/**
 * An offset from which on all events of a time are found: by halving, in about as many calls as the end of the channel
 * has binary digits. Where events have no times it is 0, and the channel is read as a whole. A service whose clock was
 * set back over more than 200 events can hide events at the start of a span.
 * @param from Unix milliseconds
 */
export async function firstOffsetOf(pages: ChannelPages, from: number): Promise<number> {
  // All up to `before` are earlier; all from `after` on are not. Offsets can have gaps.
  let [before, after] = [-1, (pages.end ?? -1) + 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const event = await pages.beside(middle);
    const offset = event?.headers.offset ?? (pages.isDown ? -1 : after);
    if (event === undefined || offset <= before || offset >= after) {
      if (pages.isDown) before = middle;
      else after = middle;
      continue;
    }
    const time = timeOf(event);
    if (time === undefined) return 0;
    if (time < from) before = Math.max(middle, offset);
    else after = Math.min(middle, offset);
  }
  return Math.max(0, after - MARGIN);
}
