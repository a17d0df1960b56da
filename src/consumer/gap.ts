import { CrecError } from "../errors.ts";
import type { Page, PageSource } from "./page-source.ts";

/** Offsets of events that are not kept any more, from the first to the last. */
export type Gap = { from: number; to: number };

/** Where a first page was asked for, the highest event that was read, and whether the page was to show it. */
export type Asked = { position: number; landmark: number; isShown: boolean };

/**
 * What it means that a page does not show an event that was there. Where the service does not keep what was before the
 * page, reading goes on with it, over a gap; not where the page is late itself, or takes no notice of the offset.
 */
export async function gapBefore(
  pages: PageSource,
  { first }: Page,
  { position, landmark, isShown }: Asked,
  signal: AbortSignal,
): Promise<{ passes: boolean; gap?: Gap }> {
  if (first === undefined || first <= landmark + 1) return { passes: true };
  // Where the page was not to show the event, that is looked for where it was, whatever its type.
  const { first: lowest } = isShown
    ? await pages.at(signal, position, { isShort: true })
    : await pages.at(signal, landmark - 1, { isShort: true, ofType: false });
  const isInOrder = isShown ? lowest === first : lowest !== undefined && lowest <= first;
  if (!isInOrder || lowest === undefined) return { passes: false };
  return lowest > landmark + 1
    ? { passes: true, gap: { from: landmark + 1, to: lowest - 1 } }
    : { passes: true };
}

/** Whether pages that lead down show nothing any more from the landmark on. `type`: the one that is asked for. */
export async function isGone(
  pages: PageSource,
  landmark: number,
  type: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (type === undefined) return true;
  // Of that type there may be nothing so far down.
  const choices = { isShort: true, ofType: false };
  return (await pages.at(signal, landmark + 1, choices)).first === undefined;
}

export function notKept({ from, to }: Gap): CrecError {
  const gap = from === to ? `the event at offset ${from}` : `events from offset ${from} to ${to}`;
  return new CrecError(
    "EVENTS_NOT_KEPT",
    `The service keeps only its newest events: ${gap} may have been missed. Reading goes on at offset ${to + 1}. To miss none, let the consumer run at least as often as the service forgets.`,
  );
}
