import { unlessAborted } from "../../abort.ts";
import { CrecError } from "../../errors.ts";
import { PageSize, TooLargeError, withAdaptivePageSize } from "../../paging/index.ts";
import {
  type ChannelEvent,
  type EventEnvelope,
  type EventPage,
  type EventType,
  envelopeOf,
  type Open,
  PAGE_LIMITS,
  statedTimeOf,
} from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import type { EventSource } from "../source.ts";

/** A page, ascending, with its lowest and highest offset; `more` when the service may have more of it. */
export type Page = {
  events: ChannelEvent[];
  first: number | undefined;
  last: number | undefined;
  more: boolean;
};

type PageSourceOptions = {
  source: EventSource;
  clock: Clock;
  /** Events a page, at most. */
  limit: number;
  /** The only type to request, if any; the service may ignore it. */
  type?: Open<EventType> | undefined;
};

type Choices = {
  /** A page of one event. */
  isShort?: boolean;
  /** Of the type in the options, if any; or of this one. False: of all types. */
  ofType?: boolean | EventType;
  /** A page of the largest size. */
  isLargest?: boolean;
  /** The event at the offset is known and would be on the page: a page of one event shows the next one instead. */
  passesKnown?: boolean;
};

/**
 * Reads pages of a channel, smaller ones while answers are too large or too slow. Throws `EVENT_TOO_LARGE` when one
 * event alone is too large, `BAD_RESPONSE` for a page that cannot be read, and whatever the source throws.
 */
export class PageSource {
  /** Of all events on the pages. */
  readonly times: EventTimes;
  readonly #options: PageSourceOptions;
  readonly #size: PageSize;
  #highest: number | undefined;

  constructor(options: PageSourceOptions) {
    this.#options = options;
    this.#size = new PageSize(options.limit);
    this.times = new EventTimes(() => options.clock.now());
  }

  /** The highest offset seen so far. */
  get highest(): number | undefined {
    return this.#highest;
  }

  /** The present page size. */
  get limit(): number {
    return this.#size.limit;
  }

  /** The newest events. */
  newest(signal: AbortSignal, choices: Choices = {}): Promise<Page> {
    return this.#get(signal, undefined, choices);
  }

  /** The page at an offset. */
  at(signal: AbortSignal, offset: number, choices: Choices = {}): Promise<Page> {
    return this.#get(signal, offset, choices);
  }

  async #get(signal: AbortSignal, offset: number | undefined, choices: Choices): Promise<Page> {
    const { isShort = false, ofType = true, passesKnown = false, isLargest = false } = choices;
    const ask = (limit: number) => {
      const at = passesKnown && limit === 1 && offset !== undefined ? offset + 1 : offset;
      return this.#poll({ limit, offset: at, ofType }, signal);
    };
    if (isLargest) return ask(PAGE_LIMITS.events.max);
    const size = isShort ? new PageSize(1) : this.#size;
    return withAdaptivePageSize({ size, ask, tooLarge: (cause) => eventTooLarge(offset, cause) });
  }

  async #poll(
    { limit, offset, ofType }: { limit: number; offset: number | undefined; ofType: boolean | EventType },
    signal: AbortSignal,
  ): Promise<Page> {
    const { source } = this.#options;
    const type = ofType === true ? this.#options.type : ofType || undefined;
    const params = {
      limit,
      ...(offset === undefined ? {} : { offset }),
      ...(type === undefined ? {} : { type }),
    };
    const answer = await unlessAborted(source.poll(params, signal), signal);
    const events = readEvents(answer).sort((a, b) => a.headers.offset - b.headers.offset);
    const first = events[0]?.headers.offset;
    const last = events.at(-1)?.headers.offset;
    if (ofType === true && last !== undefined) this.#highest = Math.max(this.#highest ?? -1, last);
    this.times.note(events);
    return { events, first, last, more: answer.has_more || events.length >= limit };
  }
}

/**
 * A copy. An event without an id is identified by its offset. Throws `BAD_RESPONSE` for an event without a usable
 * offset, since skipping it would lose it.
 */
function readEvents(answer: EventPage<EventEnvelope>): ChannelEvent[] {
  const events: unknown = (answer as Partial<EventPage> | undefined)?.events;
  if (!Array.isArray(events)) throw badPage("without a list of events");
  return events.map(readEvent);
}

function readEvent(raw: EventEnvelope | null): ChannelEvent {
  const event = envelopeOf({ ...raw });
  const offset: unknown = event.headers.offset;
  if (offset === undefined) throw badPage("with an event that has no offset");
  if (!Number.isSafeInteger(offset) || Number(offset) < 0)
    throw badPage(
      `with an event at offset ${excerpt(offset)}, which is not a whole number from 0 to 2^53 - 1`,
    );
  return event;
}

function badPage(how: string): CrecError {
  return new CrecError(
    "BAD_RESPONSE",
    `The service sent a page ${how}. The request is tried again. If this persists, check that the base URL is that of the channel service, and report it to its operator.`,
    { retryable: true },
  );
}

function excerpt(value: unknown): string {
  return typeof value === "object" ? typeof value : String(value).slice(0, 40);
}

function eventTooLarge(offset: number | undefined, cause: unknown): TooLargeError {
  const where =
    offset === undefined
      ? "The newest event is larger than an answer may be."
      : `The event at or after offset ${offset} is larger than an answer may be, and holds up those after it.`;
  return new TooLargeError(
    "EVENT_TOO_LARGE",
    `${where} It is requested again later. To skip it, reset the cursor to the next offset, or to the one after that if the error remains.`,
    { offset, cause, retryable: true },
  );
}

/** How far a time may be ahead of the machine's clock, or out of order with the events beside it. */
const BOUND_S = 600;
/** Above this, seconds since 1970 are milliseconds. */
const MAX_S = 1e11;

/** When events were created, as far as that is plausible: one wrong time must not decide about other events. */
export class EventTimes {
  readonly #now: () => number;
  readonly #plausible = new WeakMap<ChannelEvent, number>();
  #newest: number | undefined;

  /** `now` gives the machine's time, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a page, ascending by offset. */
  note(page: readonly ChannelEvent[]): void {
    const latest = this.#now() / 1000 + BOUND_S;
    const times = page.map((event) => {
      const time = statedTimeOf(event);
      return time !== undefined && time > 0 && time <= latest && time < MAX_S ? time : undefined;
    });
    for (const [index, event] of page.entries()) {
      const time = times[index];
      if (time === undefined) continue;
      const before = times[index - 1] ?? time;
      const after = times[index + 1] ?? time;
      if (time < before - BOUND_S || time > after + BOUND_S) continue;
      this.#plausible.set(event, time);
      this.#newest = Math.max(this.#newest ?? time, time);
    }
  }

  /** When a noted event was created, in Unix seconds; undefined when that is not known. */
  of(event: ChannelEvent): number | undefined {
    return this.#plausible.get(event);
  }

  /** How old a noted event is by the machine's clock, in milliseconds; 0 when that is not known. */
  ageMsOf(event: ChannelEvent): number {
    const time = this.of(event);
    return time === undefined ? 0 : Math.max(0, this.#now() - time * 1000);
  }

  /** The same, but at most its distance from the newest event, since the clock may be wrong. */
  minAgeMsOf(event: ChannelEvent): number {
    const time = this.of(event);
    if (time === undefined) return 0;
    return Math.min(this.ageMsOf(event), ((this.#newest ?? time) - time) * 1000);
  }
}
