import type { ChannelEvent } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";

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
export function searchPast(
  past: readonly PastEvent[],
  query: URLSearchParams,
  decode: Decode,
): ChannelEvent[] {
  return past.map(({ event }) => event).filter((event) => matches(event, query, decode));
}

/** A page of the channel: upwards from an offset, or without one the newest, downwards. */
export function pollPast(past: readonly PastEvent[], query: URLSearchParams): ChannelEvent[] {
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
