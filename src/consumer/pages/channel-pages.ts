import type { ChannelEvent, EventType, Open } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import { ChannelEnd } from "../schedule/channel-end.ts";
import { isTooLarge } from "../schedule/read-errors.ts";
import type { EventSource } from "../source.ts";
import type { EventTimes } from "./event-times.ts";
import type { Gap } from "./gap.ts";
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
