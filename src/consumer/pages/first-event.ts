import { CrecError } from "../../errors.ts";
import { type ChannelEvent, EVENT_TYPES, type EventType } from "../../protocol/index.ts";
import type { PageSource } from "./page-source.ts";

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
export async function findFirstEvent(
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
