import { CrecError } from "../../errors.ts";
import { type ChannelEvent, EVENT_TYPES, type EventType } from "../../protocol/index.ts";
import type { ChannelPages } from "./channel-pages.ts";
import type { Page, PageSource } from "./page-source.ts";

/** Whether pages by offset lead to newer events or to older ones; `isUnsure`: learned from a page of one event. */
export type Direction = { kind: "unknown" | "up" | "down"; isUnsure: boolean };

/**
 * Reads the newest page, then one by an offset below it: newer events in that mean "up". Yields events at offset 0 that
 * no page by offset may show. Returns what it learned, `unknown` while there is nothing to see.
 * Throws `PAGES_DO_NOT_ADVANCE` when the service ignores offsets, and what the source throws.
 */
export async function* detectPageOrder(
  pages: ChannelPages,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<ChannelEvent[], Direction> {
  const { source, end } = pages;
  const position = Math.max(0, from);
  const newest = await end.check(signal);
  // Nothing can be requested after -1, and a service may take 0 to mean "after 0".
  const atZero = from < 0 ? newest.events.filter(({ headers }) => headers.offset <= position) : [];
  if (atZero.length > 0) {
    pages.noteReached(position);
    yield atZero;
  }
  const isUnknown = newest.last === undefined && newest.more;
  if (!isUnknown && (newest.last ?? -1) <= position) return { kind: "unknown", isUnsure: false };
  let page = await pages.firstAt(signal, position, from);
  // A page of one event has the event of that offset, whichever way pages lead.
  const isUnsure = page.last === position && source.limit === 1;
  if (isUnsure) page = await source.at(signal, position + 1);
  if ((page.last ?? -1) <= position) {
    // Nothing says which way pages lead: report why.
    if (isUnknown) await end.require(signal);
    return { kind: (await leadsDown(pages, newest, signal)) ? "down" : "unknown", isUnsure };
  }
  await requireOffsets(pages, { page, newest, position }, signal);
  if (from < 0 && page.first !== 0 && atZero.length === 0) yield* firstEvent(pages, signal);
  return { kind: "up", isUnsure };
}

/** Seen, not concluded: a page with nothing newer may be from a replica that lags. */
async function leadsDown(
  { source }: ChannelPages,
  { first, last }: Page,
  signal: AbortSignal,
): Promise<boolean> {
  if (last === undefined) return false;
  if (first === last && source.limit > 1) return true;
  const below = await source.at(signal, last);
  return (below.first ?? last) < last;
}

/** The event at offset 0, when pages by offset do not show it. */
async function* firstEvent(
  { source, options }: ChannelPages,
  signal: AbortSignal,
): AsyncGenerator<ChannelEvent[], void> {
  const first = await findFirstEvent(source, options.type, signal);
  if (first.kind === "found") yield [first.event];
  if (first.kind === "missed") options.onFirstMissed?.(first.next);
}

/** The newest page again may be all that is kept; otherwise the service ignores offsets, and would skip events. */
async function requireOffsets(
  { source }: ChannelPages,
  { page, newest, position }: { page: Page; newest: Page; position: number },
  signal: AbortSignal,
): Promise<void> {
  if (!newest.more || page.first !== newest.first || page.events.length === 1) return;
  const { first } = await source.at(signal, position, { isShort: true });
  if (first === page.first) return;
  throw new CrecError(
    "PAGES_DO_NOT_ADVANCE",
    `The service was asked for events from offset ${position} on, and returns its newest ones. The request is tried again later; if this persists, report it to the operator of the service.`,
    { retryable: true },
  );
}

/**
 * `reachable`: an event at offset 0 can be requested, or nothing suggests that there is one. `found`: it cannot be
 * requested, but was found on another page. `missed`: it was not found, and there may be one before `next`.
 */
type FirstEvent =
  | { kind: "reachable" }
  | { kind: "found"; event: ChannelEvent }
  | { kind: "missed"; next: ChannelEvent };

/**
 * Searches an event at offset 0 that a page at offset 0 does not show. When a service returns what is after an offset,
 * it cannot be requested: there is no offset before 0. Only a page of the newest events may show it, so the newest
 * events of each type are read: the first event of a channel often has a rare type.
 * `onlyType` is the only type that is read.
 */
async function findFirstEvent(
  pages: PageSource,
  onlyType: string | undefined,
  signal: AbortSignal,
): Promise<FirstEvent> {
  const plain = { isShort: true, ofType: false };
  const [next] = (await pages.at(signal, 0, plain)).events;
  // A channel that begins elsewhere does not suggest an event at 0.
  if (next?.headers.offset !== 1) return { kind: "reachable" };
  const { first } = await pages.at(signal, 1, plain);
  if (first === undefined || first <= 1) return { kind: "reachable" };
  const types = onlyType === undefined ? [false as const, ...EVENT_TYPES] : [onlyType as EventType];
  for (const ofType of types) {
    const event = (await newestOf(pages, ofType, signal)).find(({ headers }) => headers.offset === 0);
    if (event !== undefined) return { kind: "found", event };
  }
  return { kind: "missed", next };
}

async function newestOf(
  pages: PageSource,
  ofType: EventType | false,
  signal: AbortSignal,
): Promise<ChannelEvent[]> {
  try {
    return (await pages.newest(signal, { isLargest: true, ofType })).events;
  } catch (error) {
    // A failed search must not stop reading.
    if (error instanceof CrecError && CANNOT_SHOW.has(error.code)) return [];
    throw error;
  }
}

/** The page is too large, or the service does not know the type. */
const CANNOT_SHOW: ReadonlySet<string> = new Set(["RESPONSE_TOO_LARGE", "TIMEOUT", "VALIDATION_ERROR"]);

export function firstEventMissed(): CrecError {
  return new CrecError(
    "FIRST_EVENT_NOT_SHOWN",
    "The service returns only events after an offset, so one at offset 0 cannot be requested: if there is one, it has been missed. Reading continues at offset 1. To see whether there is one, search the oldest events of the channel.",
  );
}
