import type { ChannelEvent, EventType, Open } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import { ChannelEnd } from "../schedule/channel-end.ts";
import { isTooLarge } from "../schedule/read-errors.ts";
import type { EventSource } from "../source.ts";
import { type FirstPage, firstToRead, type Gap, gapBefore, isGone, type Mark } from "./gap.ts";
import type { EventTimes } from "./page-source.ts";
import { type Page, PageSource } from "./page-source.ts";

export type PageReaderOptions = {
  source: EventSource;
  clock: Clock;
  /** Events per page. */
  limit: number;
  /** The only type to request, if any; the service may ignore it. */
  type?: Open<EventType> | undefined;
  /** Called with offsets that the service does not keep any more. */
  onGap?: (gap: Gap) => void;
  /** Called when an event at offset 0 would not be seen, with the event after it. */
  onFirstMissed?: (next: ChannelEvent) => void;
};

/** The pages of a channel by offset, and what was learned about them while reading up or down. */
export class ChannelPages {
  readonly options: PageReaderOptions;
  readonly source: PageSource;
  readonly end: ChannelEnd;
  /** Whether the page at an offset was seen to have the event of that offset. */
  isInclusive = false;
  /** The highest offset that was read. */
  #reached = -1;

  constructor(options: PageReaderOptions) {
    this.options = options;
    this.source = new PageSource(options);
    this.end = new ChannelEnd({ pages: this.source, clock: options.clock, reached: () => this.#reached });
  }

  /** The highest offset seen so far. */
  get highest(): number | undefined {
    return this.source.highest;
  }

  /** The times of all events on the pages. */
  get times(): EventTimes {
    return this.source.times;
  }

  get reached(): number {
    return this.#reached;
  }

  noteReached(offset: number | undefined): void {
    this.#reached = Math.max(this.#reached, offset ?? -1);
  }

  /** The page at an offset. When the event there is too large and not above `from`, the page after it, if certain. */
  async firstAt(signal: AbortSignal, offset: number, from: number): Promise<Page> {
    try {
      return await this.source.at(signal, offset);
    } catch (error) {
      if (!isTooLarge(error) || offset > from) throw error;
      const page = await this.source.at(signal, offset + 1, { isShort: true });
      if (page.first !== offset + 1) throw error;
      this.isInclusive = true;
      return page;
    }
  }

  pageAfter(signal: AbortSignal, offset: number): Promise<Page> {
    return this.source.at(signal, offset, { passesKnown: this.isInclusive });
  }

  /** Undefined when pages lead up after all, or when an empty page is not empty the second time. */
  async pageBelow(boundary: number, signal: AbortSignal): Promise<Page | undefined> {
    const page = await this.source.at(signal, boundary);
    // A page of one event may show only what is known: that is not the bottom.
    const isAlone = page.first === boundary && page.last === boundary && boundary > 0;
    const position = isAlone ? boundary - 1 : boundary;
    const lower = isAlone ? await this.source.at(signal, position) : page;
    if ((lower.last ?? -1) > position) return undefined;
    if (lower.first !== undefined) return lower;
    // If it counted as the bottom, newer events would come before those that it lacks.
    const again = await this.source.at(signal, position, { isShort: true });
    return again.first === undefined ? page : undefined;
  }
}

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
