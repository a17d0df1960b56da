import { CrecError } from "../errors.ts";
import type { ChannelEvent, EventType, Open } from "../protocol/index.ts";
import { ChannelEnd } from "./channel-end.ts";
import type { Clock } from "./clock.ts";
import { isTooLarge } from "./error-class.ts";
import { findFirstEvent } from "./first-event.ts";
import { type Asked, type Gap, gapBefore, isGone } from "./gap.ts";
import { type Page, PageSource } from "./page-source.ts";
import { RereadPages } from "./reread-pages.ts";
import type { EventSource } from "./source.ts";
import type { EventTimes } from "./times.ts";

export type PageReaderOptions = {
  source: EventSource;
  clock: Clock;
  /** Events a page. */
  limit: number;
  /** Asked of the service when given; it may ignore it. */
  type?: Open<EventType>;
  /** Told of offsets that are not kept any more. */
  onGap?: (gap: Gap) => void;
  /** Told that an event at offset 0 would not be seen, with the event after it. */
  onFirstMissed?: (next: ChannelEvent) => void;
};

/** How many readings in a row may miss events that are known to be there. */
const MAX_STALLS = 3;

/**
 * Reads a channel upwards from an offset, in a service of unknown habits: it does not matter whether a page
 * starts at or after the offset asked for, whether it goes up or down from there, how it is sorted, whether
 * offsets have gaps, and whether `has_more` is true. What it does rely on: a page without offset is the newest
 * one, and a page by offset has no holes.
 */
export class PageReader {
  readonly #options: PageReaderOptions;
  readonly #pages: PageSource;
  readonly #end: ChannelEnd;
  /** Whether pages by offset lead to newer events or to older ones; found out when there is something to see. */
  #direction: "unknown" | "up" | "down" = "unknown";
  /** Whether the direction was learned from a page of one event. */
  #isUnsure = false;
  /** Whether the page at an offset was seen to have the event of that offset. */
  #isInclusive = false;
  /** The highest offset that a reading came to. */
  #reached = -1;
  #stalls = 0;

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#pages = new PageSource(options);
    this.#end = new ChannelEnd({ pages: this.#pages, clock: options.clock, reached: () => this.#reached });
  }

  /** The highest offset seen so far. */
  get highest(): number | undefined {
    return this.#pages.highest;
  }

  /** Of all events on its pages. */
  get times(): EventTimes {
    return this.#pages.times;
  }

  /** Whether the newest event was once newer than it is now. Reading it takes the note away. */
  takeEndMovedBack(): boolean {
    return this.#end.takeMovedBack();
  }

  /** The newest events of all types, ascending. */
  newest(signal: AbortSignal): Promise<Page> {
    return this.#pages.newest(signal, { ofType: false });
  }

  /**
   * Everything above the offset `from` that is visible, and perhaps what is below it, in pages, each ascending. The
   * next page is asked for when the one before it has been dealt with. `landmark` is the offset of the highest
   * event that was read, if one was: a first page that starts beyond it has a hole, and is given out only
   * where the service does not keep what was before it; `onGap` is told then.
   * Throws `PAGES_DO_NOT_ADVANCE` when newer events are known to exist and several readings could not reach them,
   * `BAD_RESPONSE` for a page that cannot be read, and whatever the source throws.
   */
  async *read(
    from: number,
    landmark: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ChannelEvent[], void> {
    if (this.#direction === "unknown") yield* this.#learn(from, signal);
    const direction = this.#direction;
    if (direction === "unknown") return;
    const expected = this.highest ?? -1;
    // Nobody can ask for what is after -1.
    const mark = landmark === 0 ? undefined : landmark;
    yield* direction === "up" ? this.#readUp(from, mark, signal) : this.#readDown(from, mark, signal);
    if (this.#reached >= expected) {
      this.#stalls = 0;
      return;
    }
    // "Up" was seen with one's own eyes, on a page of several; "down" may have been one of a replica that lags.
    if (direction === "down" || this.#isUnsure) this.#direction = "unknown";
    this.#stalls += 1;
    if (this.#stalls < MAX_STALLS) return;
    throw new CrecError(
      "PAGES_DO_NOT_ADVANCE",
      `The service says that its newest event has offset ${expected}, but its pages end at ${this.#reached}. It is asked again later; if this goes on, report it to those who run the service.`,
      { retryable: true },
    );
  }

  /**
   * What is visible above `from`, up to `upTo`, read before: page by page, with as much time between two as one likes.
   * `lowest` is the offset of the lowest event that is known to be there. Undefined while nothing was read yet.
   */
  again(from: number, upTo: number, lowest: number): RereadPages | undefined {
    const direction = this.#direction;
    if (direction === "unknown") return undefined;
    const page = (signal: AbortSignal, offset: number) =>
      direction === "up" ? this.#pageAfter(signal, offset) : this.#pages.at(signal, offset);
    // With a type asked for, what is known may be of another one.
    const known = this.#options.type === undefined ? lowest : from + 1;
    return new RereadPages({ page, direction, from, upTo, lowest: known });
  }

  /** Looks at the newest page, then asks for one by offset below it: newer events in it mean "up". */
  async *#learn(from: number, signal: AbortSignal): AsyncGenerator<ChannelEvent[], void> {
    const position = Math.max(0, from);
    const newest = await this.#end.look(signal);
    // Nobody could ask for what is after -1, and a service may take 0 to mean "after 0".
    const atZero = from < 0 ? newest.events.filter(({ headers }) => headers.offset <= position) : [];
    if (atZero.length > 0) {
      this.#reached = Math.max(this.#reached, position);
      yield atZero;
    }
    const isUnknown = newest.last === undefined && newest.more;
    if (!isUnknown && (newest.last ?? -1) <= position) return;
    let page = await this.#firstAt(signal, position, from);
    // A page of one event is of that offset, whichever way pages lead.
    this.#isUnsure = page.last === position && this.#pages.limit === 1;
    if (this.#isUnsure) page = await this.#pages.at(signal, position + 1);
    if ((page.last ?? -1) <= position) {
      // Nothing tells which way to go: that must be said.
      if (isUnknown) await this.#end.require(signal);
      if (await this.#leadsDown(newest, signal)) this.#direction = "down";
      return;
    }
    await this.#requireOffsets(page, newest, position, signal);
    if (from < 0 && page.first !== 0 && atZero.length === 0) yield* this.#first(signal);
    this.#direction = "up";
  }

  /** Seen, not concluded: a page with nothing newer may be of a copy that lags. One event alone leads nowhere. */
  async #leadsDown({ first, last }: Page, signal: AbortSignal): Promise<boolean> {
    if (last === undefined) return false;
    if (first === last && this.#pages.limit > 1) return true;
    const below = await this.#pages.at(signal, last);
    return (below.first ?? last) < last;
  }

  /** What is at offset 0, where pages by offset do not show it. */
  async *#first(signal: AbortSignal): AsyncGenerator<ChannelEvent[], void> {
    const first = await findFirstEvent(this.#pages, this.#options.type, signal);
    if (first.kind === "found") yield [first.event];
    if (first.kind === "missed") this.#options.onFirstMissed?.(first.next);
  }

  /** The newest page again may be all that is kept; else the service takes no notice of offsets, and skips events. */
  async #requireOffsets(page: Page, newest: Page, position: number, signal: AbortSignal): Promise<void> {
    if (!newest.more || page.first !== newest.first || page.events.length === 1) return;
    const { first } = await this.#pages.at(signal, position, { isShort: true });
    if (first === page.first) return;
    throw new CrecError(
      "PAGES_DO_NOT_ADVANCE",
      `The service was asked for events from offset ${position} on, and gives its newest ones. It is asked again later; if this goes on, report it to those who run the service.`,
      { retryable: true },
    );
  }

  async *#readUp(
    from: number,
    mark: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ChannelEvent[], void> {
    // With a type asked for, it may be of another one.
    const landmark = this.#options.type === undefined ? mark : undefined;
    const known = landmark ?? from + 1;
    // Most looks find nothing, and need not show what is known; each minute one does.
    const isShort =
      this.#isInclusive &&
      from >= known &&
      landmark !== undefined &&
      (this.#pages.limit === 1 || !this.#end.isDue);
    // So that the landmark is on the first page, wherever such a page begins.
    const start = isShort ? known + 1 : this.#isInclusive ? known : known - 1;
    let position = Math.max(0, isShort ? start : Math.min(from, start));
    for (let isFirst = true; ; isFirst = false) {
      const page = isFirst
        ? await this.#firstAt(signal, position, from)
        : await this.#pageAfter(signal, position);
      if (page.first === position && position > 0) this.#isInclusive = true;
      const lacksKnown = (page.first ?? Number.POSITIVE_INFINITY) > known;
      if (isFirst && landmark !== undefined && !isShort && lacksKnown) {
        if (!(await this.#passes(page, { position, landmark, isShown: true }, signal))) return;
      } else if (isFirst && mark !== undefined && (isShort || landmark === undefined)) {
        if (!(await this.#passes(page, { position, landmark: mark, isShown: false }, signal))) return;
      }
      if (isShort && isFirst) position = known;
      const last = Math.max(page.last ?? position, position);
      // Known to be there before, and gone: perhaps the channel was started afresh.
      const suspicious = last === position && this.#reached > position;
      if (page.last !== undefined) this.#reached = Math.max(this.#reached, page.last);
      yield page.events;

      // A page of one event, which was known: the next one shows more.
      if (isFirst && this.#isInclusive && page.first === position && page.events.length === 1 && page.more)
        continue;
      const stuck = last === position;
      const more = page.more || (this.highest ?? -1) > last;
      if (!more || stuck) {
        if (this.#end.isDue || suspicious || (stuck && page.more))
          await this.#end.look(signal, { isShort: true });
        if (stuck || (this.highest ?? -1) <= last) return;
      }
      position = last;
    }
  }

  /** Whether to go on with a first page that should have shown the landmark, or was not to show it. */
  async #passes(page: Page, asked: Asked, signal: AbortSignal): Promise<boolean> {
    if (asked.isShown && page.first === undefined) {
      await this.#end.look(signal);
      return false;
    }
    const found = await gapBefore(this.#pages, page, asked, signal);
    if (found.gap) this.#options.onGap?.(found.gap);
    return found.passes;
  }

  /**
   * For a service whose pages lead from an offset to older events: goes down from the newest page until it
   * meets what is known, then comes up again page by page.
   */
  async *#readDown(
    from: number,
    landmark: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ChannelEvent[], void> {
    const boundaries: Array<number | undefined> = [undefined];
    // Where nothing new is expected, the newest event says so.
    const isShort = from >= (this.highest ?? -1);
    let covered = from;
    while (boundaries.length > 0) {
      const boundary = boundaries.at(-1);
      const page =
        boundary === undefined
          ? await this.#end.require(signal, { isShort })
          : await this.#pageBelow(boundary, signal);
      if (page === undefined) return;
      const first = page.first ?? Number.POSITIVE_INFINITY;
      // It is no matter what a page says of more: one that shows nothing lower is the last.
      const isBottom = first >= (boundary ?? Number.POSITIVE_INFINITY);
      if (first > covered + 1 && !isBottom) {
        boundaries.push(first);
        continue;
      }
      boundaries.pop();
      const isGap = landmark !== undefined && covered === from && first > Math.max(landmark, from + 1);
      // An empty page says that there is nothing below its offset.
      const lowest = page.first ?? boundary;
      if (
        isGap &&
        lowest !== undefined &&
        lowest > landmark + 1 &&
        (await isGone(this.#pages, landmark, this.#options.type, signal))
      )
        this.#options.onGap?.({ from: landmark + 1, to: lowest - 1 });
      covered = Math.max(covered, page.last ?? -1, (boundary ?? 0) - 1);
      this.#reached = Math.max(this.#reached, page.last ?? -1);
      yield page.events;
    }
  }

  /** Where the event at the offset is too large and not wanted, the page behind it, if that is certain. */
  async #firstAt(signal: AbortSignal, offset: number, from: number): Promise<Page> {
    try {
      return await this.#pages.at(signal, offset);
    } catch (error) {
      if (!isTooLarge(error) || offset > from) throw error;
      const page = await this.#pages.at(signal, offset + 1, { isShort: true });
      if (page.first !== offset + 1) throw error;
      this.#isInclusive = true;
      return page;
    }
  }

  /** Undefined where pages lead up after all, or one that was empty is not when it is asked for again. */
  async #pageBelow(boundary: number, signal: AbortSignal): Promise<Page | undefined> {
    const page = await this.#pages.at(signal, boundary);
    // A page of one event may show what is known alone: that is no bottom.
    const isAlone = page.first === boundary && page.last === boundary && boundary > 0;
    const position = isAlone ? boundary - 1 : boundary;
    const lower = isAlone ? await this.#pages.at(signal, position) : page;
    if ((lower.last ?? -1) > position) return undefined;
    if (lower.first !== undefined) return lower;
    // Taken for the bottom, it would have newer events come before those that it lacks.
    const again = await this.#pages.at(signal, position, { isShort: true });
    return again.first === undefined ? page : undefined;
  }

  #pageAfter(signal: AbortSignal, offset: number): Promise<Page> {
    return this.#pages.at(signal, offset, { passesKnown: this.#isInclusive });
  }
}
