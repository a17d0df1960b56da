import { isAnswerTooLarge, PageSize, TooLargeError, withAdaptivePageSize } from "../../paging/index.ts";
import { type ChannelEvent, type EventPage, PAGE_LIMITS } from "../../protocol/index.ts";

type Position = { offset?: number | undefined; limit?: number | undefined };
/** Reads a page of a channel from the service. */
type Ask<P extends Position> = (position: P) => Promise<EventPage>;

/**
 * A page of a channel's events, read in parts where it is larger than one answer can be. At an offset: the whole page,
 * whether pages lead to newer or to older events, and start at the offset or after it. Of the newest events: as many as
 * fit, since the service does not say at which offset they continue.
 * @throws {TooLargeError} `EVENT_TOO_LARGE` when not even one event fits.
 */
export async function eventsInParts<P extends Position>(position: P, ask: Ask<P>): Promise<EventPage> {
  const { offset, limit: most = PAGE_LIMITS.events.default } = position;
  const size = new PageSize(most);
  let isWhole = false;
  const askFirst = (limit: number) => {
    isWhole = limit === most;
    return ask(isWhole ? position : { ...position, limit });
  };
  const tooLarge = (cause: unknown) =>
    offset === undefined ? newestTooLarge(cause) : eventTooLarge({ offset, isDown: false, before: 0, cause });
  const page = await withAdaptivePageSize({ size, ask: askFirst, tooLarge });
  if (isWhole) return page;
  if (offset === undefined) return { ...page, has_more: true };
  const rest = (at: number, limit: number) => ask({ ...position, offset: at, limit });
  return joined(page, { offset, most, size, ask: rest });
}

type Joining = {
  /** The offset of the first part. */
  offset: number;
  most: number;
  size: PageSize;
  ask: (offset: number, limit: number) => Promise<EventPage>;
};

async function joined(first: EventPage, { offset, most, size, ask }: Joining): Promise<EventPage> {
  const seen = new Map<number, ChannelEvent>();
  let [part, at] = [first, offset];
  let isDown: boolean | undefined;
  /** Whether a page has included the event at its own offset. */
  let isInclusive = false;
  for (;;) {
    const [count, wasInclusive] = [seen.size, isInclusive];
    for (const event of part.events) seen.set(event.headers.offset, event);
    isInclusive ||= part.events.some(({ headers }) => headers.offset === at);
    const before = seen.size;
    const isStuck = before === count && isInclusive === wasInclusive;
    if (!part.has_more || isStuck || before >= most)
      return { events: [...seen.values()], has_more: part.has_more };
    isDown ??= await leadsDown(offset, [...seen.keys()], ask);
    const edge = isDown ? Math.min(...seen.keys()) : Math.max(...seen.keys());
    const next = isDown ? edge - 1 : edge + 1;
    at = isInclusive ? next : edge;
    if (at < 0) return { events: [...seen.values()], has_more: false };
    const tooLarge = (cause: unknown) => eventTooLarge({ offset: next, isDown, before, cause });
    part = await withAdaptivePageSize({
      size,
      most: most - before,
      ask: (limit) => ask(at, limit),
      tooLarge,
    });
  }
}

/** Whether pages lead from an offset to older events, judged by the events of one page. */
async function leadsDown(offset: number, seen: readonly number[], ask: Joining["ask"]): Promise<boolean> {
  if (seen.some((other) => other !== offset)) return Math.min(...seen) < offset;
  // The event at the offset alone does not show it. At the highest possible offset, only older events can follow.
  try {
    return (await ask(Number.MAX_SAFE_INTEGER, 1)).events.length > 0;
  } catch (error) {
    if (isAnswerTooLarge(error)) return true;
    throw error;
  }
}

function newestTooLarge(cause: unknown): TooLargeError {
  const message =
    "The newest event is larger than an answer can be. To read others, give an offset and a small limit.";
  return new TooLargeError("EVENT_TOO_LARGE", message, { offset: undefined, cause });
}

type Large = { offset: number; isDown: boolean | undefined; before: number; cause: unknown };

function eventTooLarge({ offset, isDown, before, cause }: Large): TooLargeError {
  const earlier = before === 0 ? "" : ` To read the ${before} before it, use limit ${before}.`;
  const [where, next] = isDown ? ["before", offset - 1] : ["after", offset + 1];
  const message = `The event at or ${where} offset ${offset} is larger than an answer can be.${earlier} To skip it, continue from offset ${next}. Where offsets have gaps, the event can be further ${where}: then continue from an offset beyond it.`;
  return new TooLargeError("EVENT_TOO_LARGE", message, { offset, cause });
}
