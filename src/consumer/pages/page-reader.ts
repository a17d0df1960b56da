import { CrecError } from "../../errors.ts";
import type { ChannelEvent } from "../../protocol/index.ts";
import { ChannelPages, type PageReaderOptions, readDown, readUp } from "./channel-pages.ts";
import { type Direction, detectPageOrder } from "./detect-page-order.ts";
import type { Mark } from "./gap.ts";
import type { EventTimes, Page } from "./page-source.ts";
import { RereadPages } from "./reread-pages.ts";

/** How many reads in a row may miss events that are known to exist. */
const MAX_STALLS = 3;

/**
 * Reads a channel upwards from an offset, whatever its service does: a page may start at or after the offset, lead up
 * or down from there, have any order and gaps between offsets, and `has_more` may be wrong. It assumes that a page
 * without an offset is the newest one, and that a page by offset has no holes.
 */
export class PageReader {
  readonly #options: PageReaderOptions;
  readonly #pages: ChannelPages;
  /** Learned when there is something to see. */
  #direction: Direction = { kind: "unknown", isUnsure: false };
  #stalls = 0;

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#pages = new ChannelPages(options);
  }

  /** The highest offset seen so far. */
  get highest(): number | undefined {
    return this.#pages.highest;
  }

  /** The times of all events on its pages. */
  get times(): EventTimes {
    return this.#pages.times;
  }

  /** Whether the newest event was once newer than it is now. Reading it clears the note. */
  takeEndMovedBack(): boolean {
    return this.#pages.end.takeMovedBack();
  }

  /** The newest events of all types, ascending. */
  newest(signal: AbortSignal): Promise<Page> {
    return this.#pages.source.newest(signal, { ofType: false });
  }

  /** The offset of the newest event that it would read; -1 for none. */
  async end(signal: AbortSignal): Promise<number> {
    return (await this.#pages.source.newest(signal, { isShort: true })).last ?? -1;
  }

  /** The event at an offset, of any type. A page may begin or end there, or beside it. Undefined where none is shown. */
  async eventAt(offset: number, signal: AbortSignal): Promise<ChannelEvent | undefined> {
    for (const position of [offset, offset - 1, offset + 1]) {
      if (position < 0) continue;
      const { events } = await this.#pages.source.at(signal, position, { ofType: false });
      const found = events.find(({ headers }) => headers.offset === offset);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Everything above the offset `from` that is visible, and perhaps events below it, in pages, each ascending. The next
   * page is requested when the one before has been processed. `mark` is an event that must be there, if one is known: a
   * first page that starts beyond it has a hole, and is returned only when the service does not keep what was before
   * it; `onGap` is called then.
   * Throws `PAGES_DO_NOT_ADVANCE` when newer events are known to exist and several reads could not reach them,
   * `BAD_RESPONSE` for a page that cannot be read, and what the source throws.
   */
  async *read(
    from: number,
    mark: () => Mark | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ChannelEvent[], void> {
    const pages = this.#pages;
    if (this.#direction.kind === "unknown") this.#direction = yield* detectPageOrder(pages, from, signal);
    const { kind, isUnsure } = this.#direction;
    if (kind === "unknown") return;
    const expected = this.highest ?? -1;
    // What was learned may have come with the event at offset 0.
    const known = mark();
    yield* kind === "up" ? readUp(pages, from, known, signal) : readDown(pages, from, known, signal);
    if (pages.reached >= expected) {
      this.#stalls = 0;
      return;
    }
    // A page of several events proves "up"; "down" may have been concluded from a replica that lags.
    if (kind === "down" || isUnsure) this.#direction = { kind: "unknown", isUnsure };
    this.#stalls += 1;
    if (this.#stalls < MAX_STALLS) return;
    throw new CrecError(
      "PAGES_DO_NOT_ADVANCE",
      `The service reports that its newest event has offset ${expected}, but its pages end at ${pages.reached}. The request is tried again later; if this persists, report it to the operator of the service.`,
      { retryable: true },
    );
  }

  /**
   * What is visible above `from`, up to `upTo`, and was read before: page by page, with any time between two.
   * `lowest` is the offset of the lowest known event in it. Undefined while nothing was read yet.
   */
  reread(from: number, upTo: number, lowest: number): RereadPages | undefined {
    const { kind: direction } = this.#direction;
    if (direction === "unknown") return undefined;
    const page = (signal: AbortSignal, offset: number) =>
      direction === "up" ? this.#pages.pageAfter(signal, offset) : this.#pages.source.at(signal, offset);
    // With a type requested, the known event may have another one.
    const known = this.#options.type === undefined ? lowest : from + 1;
    return new RereadPages({ page, direction, from, upTo, lowest: known });
  }
}
