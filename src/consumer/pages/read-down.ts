import type { ChannelEvent } from "../../protocol/index.ts";
import type { ChannelPages } from "./channel-pages.ts";
import { firstToRead, isGone, type Mark } from "./gap.ts";

/**
 * Reads what is above an offset, for a service whose pages lead from an offset to older events: goes down from the
 * newest page until it meets what is known, then comes up again page by page.
 */
export async function* readDown(
  pages: ChannelPages,
  from: number,
  mark: Mark | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChannelEvent[], void> {
  const { source, end, options } = pages;
  const boundaries: Array<number | undefined> = [undefined];
  // When nothing new is expected, the newest event is enough to see that.
  const isShort = from >= (pages.highest ?? -1);
  let covered = from;
  while (boundaries.length > 0) {
    const boundary = boundaries.at(-1);
    const page =
      boundary === undefined
        ? await end.require(signal, { isShort })
        : await pages.pageBelow(boundary, signal);
    if (page === undefined) return;
    const first = page.first ?? Number.POSITIVE_INFINITY;
    // Whatever a page says about more: one that shows nothing lower is the last.
    const isBottom = first >= (boundary ?? Number.POSITIVE_INFINITY);
    if (first > covered + 1 && !isBottom) {
      boundaries.push(first);
      continue;
    }
    boundaries.pop();
    const isGap = mark !== undefined && covered === from && first > Math.max(mark.offset, from + 1);
    // An empty page means that there is nothing below its offset.
    const lowest = page.first ?? boundary;
    if (
      isGap &&
      lowest !== undefined &&
      lowest > firstToRead(mark) &&
      (await isGone(source, mark, options.type, signal))
    )
      options.onGap?.({ from: firstToRead(mark), to: lowest - 1 });
    covered = Math.max(covered, page.last ?? -1, (boundary ?? 0) - 1);
    pages.noteReached(page.last);
    yield page.events;
  }
}
