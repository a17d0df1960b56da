import { throwIfAborted } from "../../abort.ts";
import { CrecError } from "../../errors.ts";
import type { ChannelEvent } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import type { Cursor } from "../cursor/cursor.ts";
import type { PageReader } from "../pages/page-reader.ts";
import { isTooLarge } from "./read-errors.ts";

/** An end below the cursor counts when it was seen this often, a second apart: replicas may lag. */
const END_CHECKS = 3;
const END_CHECK_INTERVAL_MS = 1_000;

/**
 * Throws `CURSOR_BEYOND_END` when the channel ends below the cursor in each of so many checks, and `CHANNEL_REPLACED`
 * when its events are not those that were there before.
 */
export async function requireWithinChannel(
  { reader, clock }: { reader: PageReader; clock: Clock },
  cursor: Cursor,
  signal: AbortSignal,
  checks = END_CHECKS,
): Promise<void> {
  if (cursor.cursor < 0) return;
  let end = -1;
  for (let check = 1; check <= checks; check += 1) {
    const newest = await reader.newest(signal).catch((error: unknown) => {
      // The channel has an end, even if it cannot be read.
      if (isTooLarge(error)) return undefined;
      throw error;
    });
    if (newest === undefined) return;
    const { events, last } = newest;
    requireSameChannel(cursor, events);
    end = last ?? -1;
    if (cursor.cursor <= end) return;
    if (check < checks) await clock.sleep(END_CHECK_INTERVAL_MS, signal);
    throwIfAborted(signal);
  }
  throw beyondEnd(cursor.cursor, end);
}

/** Throws `CHANNEL_REPLACED` when one of the events is at an offset at which there was another one before. */
export function requireSameChannel(cursor: Cursor, events: readonly ChannelEvent[]): void {
  const offset = cursor.contradiction(events);
  if (offset !== undefined) throw replaced(offset);
}

function beyondEnd(cursor: number, end: number): CrecError {
  return new CrecError(
    "CURSOR_BEYOND_END",
    `The cursor is at offset ${cursor}, but the channel ${end < 0 ? "is empty" : `ends at ${end}`}. It is checked again, and reading resumes when the channel reaches the cursor. If the service lost its data, reset the cursor to choose where to continue.`,
    { retryable: true },
  );
}

function replaced(offset: number): CrecError {
  return new CrecError(
    "CHANNEL_REPLACED",
    `The event at offset ${offset} is not the one that was there before: the channel was replaced. Reset the cursor to choose where to continue.`,
  );
}
