import { CrecError } from "../errors.ts";
import type { ChannelEvent } from "../protocol/index.ts";
import { type Clock, unlessAborted } from "./clock.ts";
import type { EventSource } from "./source.ts";
import { EventTimes } from "./times.ts";

/** A part of a channel, ascending by offset. May repeat what was given before. */
export type Batch = {
  events: ChannelEvent[];
  /** Once the batch is dealt with, nothing at or below this offset needs to be looked for again. */
  final: number;
};

export type PageReaderOptions = {
  source: EventSource;
  clock: Clock;
  /** Events a page. */
  limit: number;
  /** How many offsets below the highest visible one an event may still turn up late. */
  window: number;
  /** Asked of the service when given; it may ignore it. */
  type?: string;
};

/** Without news, how often to look whether the channel's end is where reading by offset says it is. */
const END_CHECK_MS = 60_000;
/** How many readings in a row may miss events that are known to be there. */
const MAX_STALLS = 3;

/** A page, ascending, with its lowest and highest offset; `more` when the service may have more of it. */
export type Page = {
  events: ChannelEvent[];
  first: number | undefined;
  last: number | undefined;
  more: boolean;
};

/**
 * Reads a channel upwards from an offset, in a service of unknown habits: it does not matter whether a page
 * starts at or after the offset asked for, whether it goes up or down from there, how it is sorted, whether
 * offsets have gaps, and whether `has_more` is true. What it does rely on: a page without offset is the newest
 * one, and a page by offset has no holes.
 */
export class PageReader {
  /** Of all events on its pages. */
  readonly times: EventTimes;
  readonly #options: PageReaderOptions;
  /** Whether pages by offset lead to newer events or to older ones; found out when there is something to see. */
  #direction: "unknown" | "up" | "down" = "unknown";
  /** The highest offset seen anywhere, and the highest that a reading came to. */
  #highest: number | undefined;
  #reached = -1;
  #stalls = 0;
  #endCheckedAt = Number.NEGATIVE_INFINITY;
  #endMovedBack = false;

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.times = new EventTimes(() => options.clock.now());
  }

  /** The highest offset seen so far. */
  get highest(): number | undefined {
    return this.#highest;
  }

  /** Whether the newest event was once newer than it is now. Reading it takes the note away. */
  takeEndMovedBack(): boolean {
    const movedBack = this.#endMovedBack;
    this.#endMovedBack = false;
    return movedBack;
  }

  /** The newest events of all types, ascending. */
  newest(signal: AbortSignal): Promise<Page> {
    return this.#page(signal, undefined, { ofType: false });
  }

  /**
   * Everything above the offset `from` that is visible, and perhaps what is below it, in batches. The next page
   * is asked for when the batch before it has been dealt with. `landmark` is the offset of an event that is known
   * to be there, above `from`: a full page that starts beyond it has a hole, and is not given out.
   * Throws `PAGES_DO_NOT_ADVANCE` when newer events are known to exist and several readings could not reach them,
   * `BAD_RESPONSE` for a page that cannot be read, and whatever the source throws.
   */
  async *read(from: number, landmark: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    if (this.#direction === "unknown") yield* this.#learn(from, signal);
    const direction = this.#direction;
    if (direction === "unknown") return;
    const expected = this.#highest ?? -1;
    yield* direction === "up" ? this.#readUp(from, landmark, signal) : this.#readDown(from, signal);
    if (this.#reached >= expected) {
      this.#stalls = 0;
      return;
    }
    // "Up" was seen with one's own eyes; "down" may have been a page from a replica that lags.
    if (direction === "down") this.#direction = "unknown";
    this.#stalls += 1;
    if (this.#stalls < MAX_STALLS) return;
    throw new CrecError(
      "PAGES_DO_NOT_ADVANCE",
      `The service says that its newest event has offset ${expected}, but its pages end at ${this.#reached}. It is asked again later; if this goes on, report it to those who run the service.`,
      { retryable: true },
    );
  }

  /** Looks at the newest page, then asks for one by offset below it: newer events in it mean "up". */
  async *#learn(from: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    const position = Math.max(0, from);
    const newest = await this.#checkEnd(signal);
    // Nobody could ask for what is after -1, and a service may take 0 to mean "after 0".
    const atZero = from < 0 ? newest.events.filter(({ headers }) => headers.offset <= position) : [];
    if (atZero.length > 0) {
      this.#reached = Math.max(this.#reached, position);
      yield { events: atZero, final: from };
    }
    if (newest.last === undefined || newest.last <= position) return;
    const page = await this.#page(signal, position);
    this.#direction = (page.last ?? -1) > position ? "up" : "down";
  }

  async *#readUp(
    from: number,
    landmark: number,
    signal: AbortSignal,
  ): AsyncGenerator<Batch, void, undefined> {
    // With a type asked for, the landmark may be of another one.
    const knownAbove =
      this.#options.type === undefined && landmark > from ? landmark : Number.POSITIVE_INFINITY;
    let position = Math.max(0, from);
    let final = from;
    let withoutGap = true;
    for (;;) {
      const page = await this.#page(signal, position);
      if (position <= from && page.more && (page.first ?? 0) > knownAbove) return;
      const last = Math.max(page.last ?? position, position);
      // Known to be there before, and gone: perhaps the channel was started afresh.
      const suspicious = last === position && this.#reached > position;
      if (page.last !== undefined) this.#reached = Math.max(this.#reached, page.last);
      if (withoutGap) final = Math.max(final, Math.min(last, this.#settled()));
      yield { events: page.events, final };

      const stuck = last === position;
      const more = page.more || (this.#highest ?? -1) > last;
      if (!more || stuck) {
        const due = this.#options.clock.now() - this.#endCheckedAt >= END_CHECK_MS;
        if (due || suspicious || (stuck && page.more)) await this.#checkEnd(signal);
        if (stuck || (this.#highest ?? -1) <= last) return;
      }
      if (withoutGap && final > position) {
        position = final;
        continue;
      }
      // The end moved on while the batch was dealt with: what became visible below comes before what is above.
      if (withoutGap && Math.min(last, this.#settled()) > position) continue;
      // The pages are smaller than the window. If the end is far away, this one is final all the same: again.
      const endIsNear =
        !withoutGap || (this.#highest ?? -1) > last || !(await this.#endIsAbove(last, signal));
      if (!endIsNear) continue;
      withoutGap = false;
      position = last;
    }
  }

  /**
   * For a service whose pages lead from an offset to older events: goes down from the newest page until it
   * meets what is known, then comes up again page by page.
   */
  async *#readDown(from: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    const boundaries: Array<number | undefined> = [undefined];
    let covered = from;
    while (boundaries.length > 0) {
      const boundary = boundaries.at(-1);
      const page = boundary === undefined ? await this.#checkEnd(signal) : await this.#page(signal, boundary);
      if (boundary !== undefined && (page.last ?? -1) > boundary) return;
      const first = page.first ?? Number.POSITIVE_INFINITY;
      const isBottom = first >= (boundary ?? Number.POSITIVE_INFINITY) || !page.more;
      if (first > covered + 1 && !isBottom) {
        boundaries.push(first);
        continue;
      }
      boundaries.pop();
      covered = Math.max(covered, page.last ?? -1, (boundary ?? 0) - 1);
      this.#reached = Math.max(this.#reached, page.last ?? -1);
      yield { events: page.events, final: Math.min(covered, this.#settled()) };
    }
  }

  async #endIsAbove(offset: number, signal: AbortSignal): Promise<boolean> {
    const { last } = await this.#checkEnd(signal);
    return last !== undefined && last > offset;
  }

  /** Below this nothing becomes visible any more. */
  #settled(): number {
    return (this.#highest ?? -1) - this.#options.window - 1;
  }

  async #checkEnd(signal: AbortSignal): Promise<Page> {
    const page = await this.#page(signal);
    this.#endCheckedAt = this.#options.clock.now();
    if ((page.last ?? -1) < this.#reached) this.#endMovedBack = true;
    return page;
  }

  async #page(signal: AbortSignal, offset?: number, { ofType = true } = {}): Promise<Page> {
    const { source, limit, type } = this.#options;
    const answer = await unlessAborted(
      source.poll(
        {
          limit,
          ...(offset === undefined ? {} : { offset }),
          ...(type === undefined || !ofType ? {} : { type }),
        },
        signal,
      ),
      signal,
    );
    const events = readEvents(answer.events).sort((a, b) => a.headers.offset - b.headers.offset);
    const first = events[0]?.headers.offset;
    const last = events.at(-1)?.headers.offset;
    if (ofType && last !== undefined) this.#highest = Math.max(this.#highest ?? -1, last);
    this.times.note(events);
    return { events, first, last, more: answer.has_more || events.length >= limit };
  }
}

/** A copy; throws `BAD_RESPONSE` when an event cannot be placed, since to skip it would be to lose it. */
function readEvents(events: readonly ChannelEvent[]): ChannelEvent[] {
  if (Array.isArray(events) && events.every(canBePlaced)) return [...events];
  throw new CrecError(
    "BAD_RESPONSE",
    "The service sent a page with an event that has no id or no offset. Check that the base URL is that of the channel service.",
    { retryable: true },
  );
}

function canBePlaced(event: ChannelEvent): boolean {
  const offset = event?.headers?.offset;
  return typeof event?.event_id === "string" && Number.isSafeInteger(offset) && offset >= 0;
}
