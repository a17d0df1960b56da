import type { CallOptions, Transport } from "../http/index.ts";
import {
  type ChannelEvent,
  type EventPage,
  type EventType,
  envelopeOf,
  type Open,
  offsetOfUnnamed,
  PAGE_LIMITS,
} from "../protocol/index.ts";
import { badResponse, isObject, listOf, resourceOf } from "./answers.ts";
import { checkPaging, pathId } from "./checks.ts";
import { distinctEvents } from "./distinct-events.ts";
import { eventAt } from "./event-at.ts";
import { eventsInParts } from "./event-pages.ts";
import { type Listing, listing } from "./pages.ts";
import { isById, matchesId, narrowed } from "./search-by-id.ts";
import type { SearchEvents } from "./search-filter.ts";
import { selected } from "./selected.ts";

export type PollEvents = {
  /** Position in the channel; without it, the newest events. */
  offset?: number | undefined;
  limit?: number | undefined;
  type?: Open<EventType> | undefined;
};

export type PollOptions = CallOptions & {
  /** Whether a page that is too large comes in parts; else it is the error `RESPONSE_TOO_LARGE`. Default true. */
  inParts?: boolean | undefined;
};

/** The events of a channel. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * One page of a channel's events. Neither its order nor whether `offset` is inclusive is promised. A page at an offset
   * that is larger than an answer may be comes in parts, put together; of the newest events, as many as fit.
   * @throws {TooLargeError} `EVENT_TOO_LARGE` when one event does not fit, with its `offset`, or one just before it.
   * @example
   * const { events } = await client.events.poll(channelId, { limit: 10 });
   */
  async poll(channelId: string, position: PollEvents = {}, options: PollOptions = {}): Promise<EventPage> {
    checkPaging(position, PAGE_LIMITS.events);
    const path = `/channels/${pathId("channelId", channelId)}/events`;
    const { inParts = true, ...call } = options;
    const ask = async (query: PollEvents) => asEventPage(await this.#transport.get(path, query, call));
    return inParts ? eventsInParts(position, ask) : ask(position);
  }

  /**
   * Await it for one page, iterate it for every event that matches.
   *
   * The service cannot search by `operation_id` and `query_id`: neither is sent, and the events are compared as they
   * arrive. To keep these few, the operation or query is asked for first: one that the service does not know has no
   * events. A search by `operation_id` then reads the events with the same wallet operation id; one by `query_id` all
   * query events of its network from its creation on, which may be many pages. Where the query itself will do,
   * `queries.get` has its state, its result and its proof.
   * @throws {ArgumentError} for an `operation_id` or `query_id` that is not an id, or that no event of the types named has.
   * @example
   * for await (const event of client.events.search(channelId, { type: ["watcher.event"], event_name: "Incremented" })) {
   *   show(event.headers.offset, decodeEvent(event, abi));
   * }
   */
  search(channelId: string, filter: SearchEvents = {}, options?: CallOptions): Listing<ChannelEvent> {
    return isById(filter)
      ? this.#searchById(channelId, filter, options)
      : this.#search(channelId, filter, options);
  }

  #searchById(channelId: string, filter: SearchEvents, options?: CallOptions): Listing<ChannelEvent> {
    const limits = PAGE_LIMITS.eventsSearch;
    const { offset = 0, limit = limits.default } = filter;
    const ask = <T>(kind: string, id: string): Promise<T> =>
      this.#transport.get(`/channels/${pathId("channelId", channelId)}/${kind}/${id}`, {}, options);
    const search = (asked: SearchEvents) => this.#search(channelId, { ...asked, limit: limits.max }, options);
    const items = async function* () {
      checkPaging(filter, limits);
      const matches = matchesId(filter);
      const asked = await narrowed(filter, {
        operation: (id) => ask("operations", id),
        query: (id) => ask("queries", id),
      });
      if (asked === undefined) return;
      for await (const event of distinctEvents(search(asked))) if (matches(event)) yield event;
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
   * One event by its id. One that is known by its offset, as `offset:12`, is looked for at that offset.
   * @throws {NotFoundError} `EVENT_NOT_FOUND`.
   * @example
   * const { headers } = await client.events.get(channelId, event.event_id);
   * headers.type; // → "watcher.event"
   */
  async get(channelId: string, eventId: string, options?: CallOptions): Promise<ChannelEvent> {
    const offset = offsetOfUnnamed(eventId);
    if (offset !== undefined) return eventAt(offset, (position) => this.poll(channelId, position, options));
    const path = `/channels/${pathId("channelId", channelId)}/events/search/${pathId("eventId", eventId)}`;
    return asEvent(await this.#transport.get(path, {}, options), eventId);
  }
}

/** Some versions say `data` for `events`; where both are there, `events` counts. */
function asEventPage(answer: unknown): EventPage {
  const { events, data, has_more } = isObject(answer) ? answer : {};
  const other = data ?? (events === undefined ? data : events);
  const list = listOf(Array.isArray(events) ? events : other);
  return { events: list.map((event) => asEvent(event)), has_more: has_more === true };
}

/** In the form of this version. An event without an id must not stop those beside it. */
function asEvent(answer: unknown, wanted?: string): ChannelEvent {
  if (!isObject(answer)) throw badResponse(`with ${inWords(answer)} where an event should be`);
  const event = envelopeOf(answer, wanted);
  requireOffset(event.headers.offset);
  const headers = { ...event.headers, type: event.headers.type ?? "" };
  return resourceOf({ ...event, headers }, "event_id", wanted);
}

function requireOffset(offset: unknown): void {
  if (Number.isSafeInteger(offset)) return;
  if (typeof offset === "string" && /^\d+$/.test(offset))
    throw badResponse(`with an event at offset ${offset}, which is beyond 2^53 - 1`);
  throw badResponse("with an event that has no offset");
}

function inWords(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
