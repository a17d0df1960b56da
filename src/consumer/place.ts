import { CrecError } from "../errors.ts";
import { type ChannelEvent, isSameId } from "../protocol/index.ts";
import { type Clock, throwIfAborted } from "./clock.ts";
import { Cursor } from "./cursor.ts";
import { type CursorIdentity, type CursorState, stateAfter, stateFrom } from "./cursor-state.ts";
import { isTooLarge } from "./error-class.ts";
import type { ConsumerStart, StartPosition } from "./options.ts";
import type { PageReader } from "./pages.ts";
import type { CursorStore } from "./store.ts";

export type Place = {
  identity: CursorIdentity;
  store: CursorStore;
  reader: PageReader;
  clock: Clock;
  /** Told where it starts, once that is settled. */
  onStart: (start: ConsumerStart) => void;
  /** Told when the place was put there from elsewhere. */
  onRestored: (upTo: number) => void;
};

/** An end below the cursor is believed when it was seen this often, a second apart: replicas may lag. */
const END_LOOKS = 3;
const END_LOOK_PAUSE_MS = 1_000;

/**
 * The stored place, or where to begin when nothing is stored.
 * Throws `CURSOR_OF_ANOTHER_CHANNEL`, and what store and source throw.
 */
export async function openCursor(place: Place, start: StartPosition, signal: AbortSignal): Promise<Cursor> {
  const stored = await place.store.load();
  if (stored === undefined) return beginAt(place, { from: "start", position: start }, signal);
  const { channelId, service } = stored.identity;
  if (!isSameId(channelId, place.identity.channelId) || service !== place.identity.service)
    throw ofAnotherChannel(stored.identity);
  const { restored, ...state } = stored;
  const restoredUpTo = restored ? ((await place.reader.newest(signal)).last ?? -1) : state.restoredUpTo;
  place.onStart({ from: "stored", after: stored.cursor });
  if (restored && restoredUpTo !== undefined) place.onRestored(restoredUpTo);
  return new Cursor({
    // Without the note of an orderly end there was none.
    suspectUpTo: stored.handedOut,
    ...state,
    ...(restoredUpTo === undefined ? {} : { restoredUpTo }),
    identity: place.identity,
  });
}

/** Settles where to begin, and stores that before anything else. */
export async function beginAt(
  place: Place,
  chosen: { from: "start" | "seek"; position: StartPosition },
  signal: AbortSignal,
): Promise<Cursor> {
  const cursor = new Cursor(await startState(place, chosen.position, signal));
  await place.store.save(cursor.snapshot(), "now");
  place.onStart({ ...chosen, after: cursor.cursor });
  return cursor;
}

async function startState(
  { identity, reader }: Place,
  start: StartPosition,
  signal: AbortSignal,
): Promise<CursorState> {
  if (start === "now") {
    const { events, more } = await reader.newest(signal);
    return stateAfter(identity, events, { more });
  }
  if (start === "beginning") return stateFrom(identity, 0);
  return "offset" in start ? stateFrom(identity, start.offset) : stateFrom(identity, 0, start.time);
}

/**
 * Throws `CURSOR_BEYOND_END` when the channel ends below the cursor, seen so many times, and `CHANNEL_REPLACED` when
 * its events are not those that were there before.
 */
export async function requireWithin(
  { reader, clock }: Place,
  cursor: Cursor,
  signal: AbortSignal,
  looks = END_LOOKS,
): Promise<void> {
  if (cursor.cursor < 0) return;
  let end = -1;
  for (let look = 1; look <= looks; look += 1) {
    const newest = await reader.newest(signal).catch((error: unknown) => {
      // The channel has an end, wherever that is.
      if (isTooLarge(error)) return undefined;
      throw error;
    });
    if (newest === undefined) return;
    const { events, last } = newest;
    requireSame(cursor, events);
    end = last ?? -1;
    if (cursor.cursor <= end) return;
    if (look < looks) await clock.sleep(END_LOOK_PAUSE_MS, signal);
    throwIfAborted(signal);
  }
  throw beyondEnd(cursor.cursor, end);
}

/** Throws `CHANNEL_REPLACED` when one of the events is at the offset at which another one was. */
export function requireSame(cursor: Cursor, events: readonly ChannelEvent[]): void {
  const offset = cursor.contradiction(events);
  if (offset !== undefined) throw replaced(offset);
}

function ofAnotherChannel({ channelId, service }: CursorIdentity): CrecError {
  return new CrecError(
    "CURSOR_OF_ANOTHER_CHANNEL",
    `The stored cursor belongs to channel ${channelId} of ${service}. Use another consumer name, or reset the cursor to start over on this channel.`,
  );
}

function beyondEnd(cursor: number, end: number): CrecError {
  return new CrecError(
    "CURSOR_BEYOND_END",
    `The cursor is at offset ${cursor}, but the channel ${end < 0 ? "is empty" : `ends at ${end}`}. It is looked at again, and reading goes on when the channel has got there. If the service lost its data, choose where to go on by resetting the cursor.`,
    { retryable: true },
  );
}

function replaced(offset: number): CrecError {
  return new CrecError(
    "CHANNEL_REPLACED",
    `The event at offset ${offset} is not the one that was there before: the channel was started afresh. Choose where to go on by resetting the cursor.`,
  );
}
