import { type ChannelEvent, type EventPage, eventTypeOf, PAGE_LIMITS } from "../protocol/index.ts";

/** A page of events as `GET /channels/{id}/events` answers with it. Of the path, only the query counts. */
export function pageOf(events: readonly ChannelEvent[], path = ""): EventPage {
  const query = new URLSearchParams(path.split("?").slice(1).join("?"));
  const [offset, type] = [query.get("offset"), query.get("type")];
  const { max, default: usual } = PAGE_LIMITS.events;
  const limit = Math.min(Number(query.get("limit") ?? usual), max);
  const sorted = events.toSorted((one, other) => one.headers.offset - other.headers.offset);
  const found = sorted.filter(
    (event) =>
      (offset === null || event.headers.offset >= Number(offset)) &&
      (type === null || eventTypeOf(event) === type),
  );
  const ordered = offset === null ? found.reverse() : found;
  return { events: ordered.slice(0, limit), has_more: ordered.length > limit };
}
