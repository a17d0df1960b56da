import type { CallOptions, Transport } from "../http/index.ts";
import {
  type ChannelEvent,
  type EventPage,
  type EventType,
  idOfUnnamed,
  type Open,
  PAGE_LIMITS,
} from "../protocol/index.ts";
import { badResponse, isObject, resourceOf } from "./answers.ts";
import { checkPaging, pathId } from "./checks.ts";
import { eventsInParts } from "./event-pages.ts";
import { type Listing, listing } from "./pages.ts";
import { isById, matchesId, narrowed } from "./search-by-id.ts";
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

/** Filters of a search, as the service names them; one that does not apply to a named type is refused. */
export type SearchEvents = {
  type?: ReadonlyArray<Open<EventType>> | undefined;
  /** Unix seconds. */
  "created.gt"?: number | undefined;
  "created.gte"?: number | undefined;
  "created.lt"?: number | undefined;
  "created.lte"?: number | undefined;
  chain_selector?: readonly string[] | undefined;
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  status?: readonly string[] | undefined;
  watcher_id?: string | undefined;
  wallet_id?: string | undefined;
  address?: readonly string[] | undefined;
  wallet_operation_id?: string | undefined;
  /** The service does not support it: applied to what arrives, see `search`. */
  operation_id?: string | undefined;
  /** The service does not support it: applied to what arrives, see `search`. */
  query_id?: string | undefined;
  event_name?: string | undefined;
  service?: readonly string[] | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
};

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
   * arrive. To keep these few, the operation or query is asked for first. A search by `operation_id` then reads the
   * events with the same wallet operation id; one by `query_id` all query events of its network from its creation on,
   * which may be many pages. Where the query itself will do, `queries.get` has its state, its result and its proof.
   * @throws {ArgumentError} for an `operation_id` or `query_id` that is no id, or that no event of the types named has.
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
      for await (const event of search(asked)) if (matches(event)) yield event;
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
   * @example
   * const { headers } = await client.events.get(channelId, event.event_id);
   * headers.type; // → "watcher.event"
   */
  async get(channelId: string, eventId: string, options?: CallOptions): Promise<ChannelEvent> {
    const path = `/channels/${pathId("channelId", channelId)}/events/search/${pathId("eventId", eventId)}`;
    return asEvent(await this.#transport.get(path, {}, options), eventId);
  }
}

function asEventPage(answer: unknown): EventPage {
  const { events, data = events, has_more } = isObject(answer) ? answer : {};
  if (!Array.isArray(data)) throw badResponse("with something that is no list");
  return { events: data.map((event) => asEvent(named(event))), has_more: has_more === true };
}

/** One event without an id must not hold up those beside it: it is known by its offset. */
function named(event: unknown): unknown {
  if (!isObject(event)) return event;
  const { event_id: eventId = event.id, headers } = event;
  const hasId = typeof eventId === "string" && eventId !== "";
  return hasId ? event : { ...event, event_id: `offset:${isObject(headers) ? headers.offset : undefined}` };
}

/**
 * Some versions say `id` for `event_id` and have the type beside the headers: both are read, nothing is dropped. An
 * event without an id is the one that was wanted, else known by its offset.
 */
function asEvent(answer: unknown, wanted?: string): ChannelEvent {
  if (!isObject(answer)) throw badResponse(`with ${inWords(answer)} where an event should be`);
  const event = answer as Partial<ChannelEvent> & { id?: unknown; type?: string };
  const headers: Partial<ChannelEvent["headers"]> = isObject(event.headers) ? event.headers : {};
  const offset = offsetOf(headers.offset);
  const eventId = [event.event_id, event.id].find((id) => typeof id === "string" && id !== "");
  const read = {
    ...event,
    event_id: eventId ?? wanted ?? idOfUnnamed(offset),
    headers: {
      ...headers,
      type: headers.type ?? event.type ?? "",
      offset,
      proofs: headers.proofs ?? [],
    },
    payload: event.payload ?? {},
  };
  return resourceOf(read, "event_id", wanted);
}

/** A number, or decimal text. */
function offsetOf(value: unknown): number {
  const isText = typeof value === "string" && /^\d{1,100}$/.test(value);
  const offset = typeof value === "number" || isText ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(offset)) return offset;
  if (isText) throw badResponse(`with an event at offset ${value}, which is beyond 2^53 - 1`);
  throw badResponse("with an event that has no offset");
}

function inWords(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
