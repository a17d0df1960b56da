import { CrecError } from "../../errors.ts";
import type { Page, PageSource } from "./page-source.ts";

/** The first and the last offset of events that the service does not keep any more. */
export type Gap = { from: number; to: number };

/**
 * An event that shows, while the service has it, that nothing above it was dropped. `isRead`: the highest one that was
 * read; else the lowest that has to be read again, because it was not settled.
 */
export type Mark = { offset: number; isRead: boolean };

/** The offset a first page was requested at, the mark, and whether the page should show it. */
export type FirstPage = { position: number; mark: Mark; isShown: boolean };

/** The lowest offset that has to be read. */
export function firstToRead({ offset, isRead }: Mark): number {
  return isRead ? offset + 1 : offset;
}

/**
 * What it means when a page does not show an event that was there. When the service does not keep the events before
 * the page, reading continues with it, after a gap; not when the page itself lags, or ignores the offset.
 */
export async function gapBefore(
  pages: PageSource,
  { first }: Page,
  { position, mark, isShown }: FirstPage,
  signal: AbortSignal,
): Promise<{ passes: boolean; gap?: Gap }> {
  const from = firstToRead(mark);
  if (first === undefined || first <= from) return { passes: true };
  // When the page should not show the event, the event is requested where it was, whatever its type.
  const { first: lowest } = isShown
    ? await pages.at(signal, position, { isShort: true })
    : await pages.at(signal, Math.max(0, mark.offset - 1), { isShort: true, ofType: false });
  const isInOrder = isShown ? lowest === first : lowest !== undefined && lowest <= first;
  if (!isInOrder || lowest === undefined) return { passes: false };
  return lowest > from ? { passes: true, gap: { from, to: lowest - 1 } } : { passes: true };
}

/** Whether pages that lead down show nothing from the mark on. `type`: the one that is requested. */
export async function isGone(
  pages: PageSource,
  mark: Mark,
  type: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (type === undefined) return true;
  // There may be no event of that type so far down.
  const { first } = await pages.at(signal, mark.offset + 1, { ofType: false });
  return first === undefined || first > firstToRead(mark);
}

export function notKept({ from, to }: Gap): CrecError {
  const gap = from === to ? `the event at offset ${from}` : `events from offset ${from} to ${to}`;
  return new CrecError(
    "EVENTS_NOT_KEPT",
    `The service keeps only its newest events: ${gap} may have been missed. Reading continues at offset ${to + 1}. To miss none, run the consumer more often than the service drops events.`,
  );
}
