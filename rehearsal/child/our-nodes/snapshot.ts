import type { Library } from "../../../nodes/common/library.ts";
import type { ChannelEvent } from "../../../src/index.ts";
import { isSameId } from "../../../src/protocol/ids.ts";
import type { PastEvent, Wire } from "../../shared/job.ts";
import type { ChildHost } from "../host.ts";

/** An answer of the service. `code`: what it refuses with. */
type Answer = { data: unknown } | { code: string };

const PAGE = 200;

/** Filters of lists that compare a member as it is. */
const COMPARED = ["status", "chain_selector", "address", "service", "wallet_type"];

/**
 * What the service had when the events were read, and the events so far. Undefined for what only the service could
 * answer. `path` is that of the request without the base URL's own.
 */
export function answerOf(
  host: ChildHost,
  library: Pick<Library, "decodeEvent">,
  path: string,
  query: URLSearchParams,
): Answer | undefined {
  const { networks, wallets, channels } = host.job.snapshot;
  const [, kind, id = "", part, partId, more] = path.split("/").map(decodeURIComponent);
  if (kind === "health-check") return { data: { status: "ok" } };
  if (kind === "networks") return { data: { data: networks } };
  if (kind === "wallets" && id === "") return listed(wallets, query);
  if (kind === "wallets") return one(wallets, "wallet_id", id, "WALLET_NOT_FOUND");
  const all = channels.map(({ channel }) => channel);
  if (kind !== "channels") return undefined;
  if (id === "") return listed(all, query);
  if (part === undefined) return one(all, "channel_id", id, "CHANNEL_NOT_FOUND");
  if (part === "events")
    return eventsAnswer(host, library, { channelId: id, search: partId, eventId: more }, query);
  if (part === "watchers") {
    const watchers = channels.find(({ channel }) => isSameId(String(channel.channel_id), id))?.watchers ?? [];
    return partId === undefined
      ? listed(watchers, query)
      : one(watchers, "watcher_id", partId, "WATCHER_NOT_FOUND");
  }
  // Before an operation is sent, it is looked for: in the rehearsal nothing was sent.
  if (part === "operations" && query.has("wallet_operation_id"))
    return { data: { data: [], has_more: false } };
  return undefined;
}

function eventsAnswer(
  host: ChildHost,
  { decodeEvent }: Pick<Library, "decodeEvent">,
  {
    channelId,
    search,
    eventId,
  }: { channelId: string; search: string | undefined; eventId: string | undefined },
  query: URLSearchParams,
): Answer {
  const past = host.past(channelId);
  if (eventId !== undefined) {
    const found = past.find(({ event }) => isSameId(event.event_id, eventId));
    return found ? { data: found.event } : { code: "EVENT_NOT_FOUND" };
  }
  if (search === undefined) {
    const { items, has_more } = paged(pollPast(past, query), 0, query);
    return { data: { events: items, has_more } };
  }
  const found = searchPast(past, query, (event) => decodeEvent(event));
  const { items, has_more } = paged(found, Number(query.get("offset") ?? 0), query);
  return { data: { events: items, has_more } };
}

/** As the service lists: a part of the name is enough, and what is archived is shown only when it is asked for. */
function listed(all: readonly Wire[], query: URLSearchParams): Answer {
  const name = query.get("name")?.toLowerCase();
  const eventName = query.get("event_name");
  const found = all.filter((item) => {
    if (!query.has("status") && item.status === "archived") return false;
    if (name !== undefined && !String(item.name).toLowerCase().includes(name)) return false;
    if (eventName !== null && !(item.events as unknown[] | undefined)?.includes(eventName)) return false;
    return COMPARED.every((member) => {
      const asked = query.getAll(member).map((one) => one.toLowerCase());
      return asked.length === 0 || asked.includes(String(item[member]).toLowerCase());
    });
  });
  const { items, has_more } = paged(found, Number(query.get("offset") ?? 0), query);
  return { data: { data: items, has_more } };
}

function one(all: readonly Wire[], member: string, id: string, code: string): Answer {
  const found = all.find((item) => isSameId(String(item[member]), id));
  return found ? { data: found } : { code };
}

function paged<T>(
  all: readonly T[],
  from: number,
  query: URLSearchParams,
): { items: T[]; has_more: boolean } {
  const to = from + Number(query.get("limit") ?? PAGE);
  return { items: all.slice(from, to), has_more: all.length > to };
}

/** Members of the payload that a search names. */
const OF_PAYLOAD = [
  "chain_selector",
  "status",
  "watcher_id",
  "wallet_id",
  "operation_id",
  "wallet_operation_id",
  "query_id",
  "service",
];
const NEWEST = Number.POSITIVE_INFINITY;

/** What a search finds the event by and the event itself does not have in one place. */
type Decoded = { name?: unknown; contract?: unknown };
type Decode = (event: ChannelEvent) => object;

/** The events of a search as the service answers it: those that match all filters, oldest first. */
function searchPast(past: readonly PastEvent[], query: URLSearchParams, decode: Decode): ChannelEvent[] {
  return past.map(({ event }) => event).filter((event) => matches(event, query, decode));
}

/** A page of the channel: upwards from an offset, or without one the newest, downwards. */
function pollPast(past: readonly PastEvent[], query: URLSearchParams): ChannelEvent[] {
  const type = query.get("type");
  const offset = query.get("offset");
  const events = past
    .map(({ event }) => event)
    .filter(({ headers }) => type === null || headers.type === type);
  if (offset === null) return events.reverse();
  return events.filter(({ headers }) => headers.offset >= Number(offset));
}

function matches(event: ChannelEvent, query: URLSearchParams, decode: Decode): boolean {
  const payload = event.payload as Record<string, unknown>;
  const isOneOf = (name: string, value: unknown): boolean => {
    const asked = query.getAll(name).map((one) => one.toLowerCase());
    return asked.length === 0 || asked.includes(String(value).toLowerCase());
  };
  if (!isOneOf("type", event.headers.type) || !isInPeriod(event, query)) return false;
  if (!OF_PAYLOAD.every((name) => isOneOf(name, payload[name]))) return false;
  if (!query.has("address") && !query.has("event_name")) return true;
  const { name, contract } = decodedBy(decode, event);
  return isOneOf("event_name", name) && isOneOf("address", contract ?? payload.address);
}

/** Times in Unix seconds. */
function isInPeriod({ created_at }: ChannelEvent, query: URLSearchParams): boolean {
  const time = Number(created_at ?? Number.NaN);
  const bound = (name: string, without: number) => Number(query.get(`created.${name}`) ?? without);
  // An event without a time is in each period: nothing says that it is not.
  if (Number.isNaN(time)) return true;
  const isAfter = time > bound("gt", -NEWEST) && time >= bound("gte", -NEWEST);
  return isAfter && time < bound("lt", NEWEST) && time <= bound("lte", NEWEST);
}

function decodedBy(decode: Decode, event: ChannelEvent): Decoded {
  try {
    return decode(event);
  } catch {
    return {};
  }
}
