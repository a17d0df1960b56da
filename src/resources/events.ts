import { CALL_OPTIONS, type CallOptions, Lane, NotFoundError, type Transport } from "../http/index.ts";
import { anyText, callable, either, flag, optional, options, request, text } from "../options/index.ts";
import {
  type ChannelEvent,
  canonicalId,
  type EventPage,
  type EventType,
  envelopeOf,
  type Open,
  offsetOfUnnamed,
  PAGE_LIMITS,
  type Page,
} from "../protocol/index.ts";
import { eventsInParts } from "./lists/event-pages.ts";
import { AwaitedPage, type Listing, listing, listingOf } from "./lists/pages.ts";
import { badResponse, isObject, listOf, paging, pathId, resourceOf } from "./requests/checks.ts";
import { isById, matchesId, narrowed, type SearchEvents, searchFilter } from "./requests/search-filter.ts";

/** Which page of a channel's events to read. */
export type PollEvents = {
  /** The position in the channel. Without it, the newest events are read. */
  offset?: number | undefined;
  /**
   * The size of the page, at most 200.
   * @default 200
   */
  limit?: number | undefined;
  /** Events of this type only. Not every service supports it, so check the type of what arrives. */
  type?: Open<EventType> | undefined;
};

export type PollOptions = CallOptions & {
  /**
   * Whether a page that is too large for one answer is read in parts. Else it is the error `RESPONSE_TOO_LARGE`.
   * @default true
   */
  inParts?: boolean | undefined;
  /**
   * Whether the poll may wait for its turn where requests are limited: after all other calls, and in turn with the
   * channels that are polled in the same way. Its time begins with its turn. A function is called when the turn comes,
   * with how long it was waited for, in milliseconds.
   * @default false
   */
  background?: boolean | ((waitedMs: number) => void) | undefined;
};

const pollPosition = request<PollEvents>({ ...paging(PAGE_LIMITS.events), type: optional(anyText()) });

const pollOptions = options<PollOptions>({
  ...CALL_OPTIONS,
  inParts: optional(flag),
  background: optional(either((value) => typeof value === "function", callable(), flag)),
});

/** The events of a channel. */
export class Events {
  readonly #transport: Pick<Transport, "get" | "request">;
  readonly #lanes = new Map<string, Lane>();

  constructor(transport: Pick<Transport, "get" | "request">) {
    this.#transport = transport;
  }

  /**
   * One page of a channel's events. The service promises neither its order nor whether `offset` is inclusive. A page at
   * an offset that is larger than one answer can be is read in parts and put together; of the newest events, it has as
   * many as fit.
   * @throws {TooLargeError} `EVENT_TOO_LARGE` when one event does not fit, with its `offset`, or the lowest it can have.
   * @example
   * const { events } = await client.events.poll(channelId, { limit: 10 });
   */
  async poll(channelId: string, position: PollEvents = {}, options?: PollOptions): Promise<EventPage> {
    const asked = pollPosition(position, "position");
    const path = `/channels/${pathId("channelId", channelId)}/events`;
    const { inParts = true, background = false, ...call } = pollOptions(options);
    const lane = background === false ? undefined : this.#laneOf(channelId);
    const onTurn = typeof background === "function" ? background : undefined;
    const ask = async (query: PollEvents) => {
      const page = asEventPage(
        await this.#transport.request({ ...call, method: "GET", path, query, lane, onTurn }),
      );
      lane?.noteEnd(page.events.reduce((end, { headers }) => Math.max(end, headers.offset), -1));
      return page;
    };
    return inParts ? eventsInParts(asked, ask) : ask(asked);
  }

  #laneOf(channelId: string): Lane {
    const id = canonicalId(channelId);
    const lane = this.#lanes.get(id) ?? new Lane();
    this.#lanes.set(id, lane);
    return lane;
  }

  /**
   * The events that match. Await it for one page, iterate it for all of them.
   *
   * The service cannot search by `operation_id` and `query_id`: neither is sent, and the client compares the events that
   * arrive. To narrow the search, the operation or query is read first: one that the service does not know has no events.
   * A search by `operation_id` then reads the events with the same wallet operation id; one by `query_id` reads all query
   * events of its network since its creation, which can be many pages. `queries.get` has status, result and proof of a
   * query in one call.
   * @throws {ArgumentError} for an `operation_id` or `query_id` that is not an id, or that does not apply to the given types.
   * @example
   * for await (const event of client.events.search(channelId, { type: ["watcher.event"], event_name: "Incremented" })) {
   *   show(event.headers.offset, decodeEvent(event, abi));
   * }
   */
  search(channelId: string, filter: SearchEvents = {}, options?: CallOptions): Listing<ChannelEvent> {
    return listingOf(() => {
      const checked = searchFilter(filter, "filter");
      return isById(checked)
        ? this.#searchById(channelId, checked, options)
        : this.#search(channelId, checked, options);
    });
  }

  #searchById(channelId: string, filter: SearchEvents, options?: CallOptions): Listing<ChannelEvent> {
    const limits = PAGE_LIMITS.eventsSearch;
    const { offset = 0, limit = limits.default } = filter;
    const ask = <T>(kind: string, id: string): Promise<T> =>
      this.#transport.get(`/channels/${pathId("channelId", channelId)}/${kind}/${id}`, {}, options);
    const search = (narrow: SearchEvents) =>
      this.#search(channelId, { ...narrow, limit: limits.max }, options);
    const items = async function* () {
      const matches = matchesId(filter);
      const narrow = await narrowed(filter, {
        operation: (id) => ask("operations", id),
        query: (id) => ask("queries", id),
      });
      if (narrow === undefined) return;
      for await (const event of search(narrow)) if (matches(event)) yield event;
    };
    return selected({ items, offset, limit });
  }

  #search(channelId: string, filter: SearchEvents, options?: CallOptions): Listing<ChannelEvent> {
    return listing({
      noun: "event",
      filter,
      limits: PAGE_LIMITS.eventsSearch,
      get: async (query) => {
        const path = `/channels/${pathId("channelId", channelId)}/events/search`;
        const { events, has_more } = asEventPage(await this.#transport.get(path, query, options));
        return { data: events, has_more };
      },
    });
  }

  /**
   * One event by its id. An id made from an offset, such as `offset:12`, reads the event at that offset.
   * @throws {NotFoundError} `EVENT_NOT_FOUND`.
   * @example
   * const { headers } = await client.events.get(channelId, event.event_id);
   * headers.type; // → "watcher.event"
   */
  async get(channelId: string, eventId: string, options?: CallOptions): Promise<ChannelEvent> {
    const offset = offsetOfUnnamed(text(eventId, "eventId"));
    if (offset !== undefined) return eventAt(offset, (position) => this.poll(channelId, position, options));
    const path = `/channels/${pathId("channelId", channelId)}/events/search/${pathId("eventId", eventId)}`;
    return asEvent(await this.#transport.get(path, {}, options), eventId);
  }
}

/** Some versions send `data` instead of `events`. Where both are there, `events` counts. */
function asEventPage(answer: unknown): EventPage {
  const { events, data, has_more } = isObject(answer) ? answer : {};
  const other = data ?? (events === undefined ? data : events);
  const list = listOf(Array.isArray(events) ? events : other);
  return { events: list.map((event) => asEvent(event)), has_more: has_more === true };
}

/** An event in the form of this version. One without an id must not stop the others of its page. */
function asEvent(answer: unknown, requestedId?: string): ChannelEvent {
  if (!isObject(answer)) throw badResponse(`with ${kindOf(answer)} where an event should be`);
  const event = envelopeOf(answer, requestedId);
  requireOffset(event.headers.offset);
  const headers = { ...event.headers, type: event.headers.type ?? "" };
  return resourceOf({ ...event, headers }, "event_id", requestedId);
}

function requireOffset(offset: unknown): void {
  if (Number.isSafeInteger(offset)) return;
  if (typeof offset === "string" && /^\d+$/.test(offset))
    throw badResponse(`with an event at offset ${offset}, which is beyond 2^53 - 1`);
  throw badResponse("with an event that has no offset");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/**
 * The event at an offset, whether or not a page includes its own offset, and whether pages ascend or descend.
 * @throws {NotFoundError} `EVENT_NOT_FOUND`; what `poll` throws.
 */
async function eventAt(
  offset: number,
  poll: (position: { offset: number; limit: number }) => Promise<EventPage>,
): Promise<ChannelEvent> {
  const [lowest, highest] = [0, Number.MAX_SAFE_INTEGER];
  for (const at of new Set([offset, Math.max(lowest, offset - 1), Math.min(highest, offset + 1)])) {
    const { events } = await poll({ offset: at, limit: 1 });
    const event = events.find(({ headers }) => headers.offset === offset);
    if (event) return event;
  }
  const message = `The channel shows no event at offset ${offset}. Check the channel and the offset.`;
  throw new NotFoundError("EVENT_NOT_FOUND", message);
}

type Selection<T> = {
  /** Reads the list from its beginning. */
  items: () => AsyncIterable<T>;
  /** How many items to skip. */
  offset: number;
  /** The size of a page. */
  limit: number;
};

/** A part of a list as a list of its own. It is only read when it is awaited or iterated. */
function selected<T>(selection: Selection<T>): Listing<T> {
  return new Selected(selection);
}

class Selected<T> extends AwaitedPage<T> {
  readonly #selection: Selection<T>;

  constructor(selection: Selection<T>) {
    super();
    this.#selection = selection;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { items, offset } = this.#selection;
    let seen = 0;
    for await (const item of items()) {
      seen += 1;
      if (seen > offset) yield item;
    }
  }

  /** One item more than the page has shows that more follow. */
  protected async page(): Promise<Page<T>> {
    const data: T[] = [];
    for await (const item of this) {
      if (data.length === this.#selection.limit) return { data, has_more: true };
      data.push(item);
    }
    return { data, has_more: false };
  }
}
