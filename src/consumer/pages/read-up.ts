import type { ChannelEvent } from "../../protocol/index.ts";
import type { ChannelPages } from "./channel-pages.ts";
import { type FirstPage, firstToRead, gapBefore, isGone, type Mark } from "./gap.ts";
import type { Page } from "./page-source.ts";

/** Reads upwards from an offset, for a service whose pages lead from an offset to newer events. */
export async function* readUp(
  pages: ChannelPages,
  from: number,
  mark: Mark | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChannelEvent[], void> {
  const { source, end, options } = pages;
  // With a type requested, the marked event may have another one.
  const shown = options.type === undefined ? mark : undefined;
  const known = shown?.offset ?? from + 1;
  // Most polls find nothing, and need not show what is known; each minute one does.
  const isShort =
    pages.isInclusive && from >= known && shown !== undefined && (source.limit === 1 || !end.isDue);
  // So that the marked event is on the first page, wherever such a page begins.
  const start = isShort ? known + 1 : pages.isInclusive ? known : known - 1;
  let position = Math.max(0, isShort ? start : Math.min(from, start));
  for (let isFirst = true; ; isFirst = false) {
    const page = isFirst
      ? await pages.firstAt(signal, position, from)
      : await pages.pageAfter(signal, position);
    if (page.first === position && position > 0) pages.isInclusive = true;
    const lacksKnown = (page.first ?? Number.POSITIVE_INFINITY) > known;
    if (isFirst && shown !== undefined && !isShort && lacksKnown) {
      if (!(await passes(pages, page, { position, mark: shown, isShown: true }, signal))) return;
    } else if (isFirst && mark !== undefined && (isShort || shown === undefined)) {
      if (!(await passes(pages, page, { position, mark, isShown: false }, signal))) return;
    }
    if (isShort && isFirst) position = known;
    const last = Math.max(page.last ?? position, position);
    // Events that were there are gone: perhaps the channel was replaced.
    const isSuspicious = last === position && pages.reached > position;
    pages.noteReached(page.last);
    yield page.events;

    // A page of one known event: the next one shows more.
    if (isFirst && pages.isInclusive && page.first === position && page.events.length === 1 && page.more)
      continue;
    const isStuck = last === position;
    const hasMore = page.more || (pages.highest ?? -1) > last;
    if (!hasMore || isStuck) {
      if (end.isDue || isSuspicious || (isStuck && page.more)) await end.check(signal, { isShort: true });
      if (isStuck || (pages.highest ?? -1) <= last) return;
    }
    position = last;
  }
}

/** Whether to continue with a first page that lacks the marked event, or should not show it. */
async function passes(
  { source, end, options }: ChannelPages,
  page: Page,
  requested: FirstPage,
  signal: AbortSignal,
): Promise<boolean> {
  if (requested.isShown && page.first === undefined) {
    await end.check(signal);
    return false;
  }
  const found = await gapBefore(source, page, requested, signal);
  if (found.gap) options.onGap?.(found.gap);
  return found.passes;
}

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
