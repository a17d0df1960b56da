import { CrecError } from "../../errors.ts";
import type { ChannelEvent } from "../../protocol/index.ts";
import type { ChannelPages } from "./channel-pages.ts";
import { findFirstEvent } from "./first-event.ts";
import type { Page } from "./page-source.ts";

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
