import { CrecError } from "../errors.ts";
import { type Clock, throwIfAborted } from "./clock.ts";
import { Cursor, type CursorIdentity, type CursorState, stateAfter, stateFrom } from "./cursor.ts";
import type { StartPosition } from "./options.ts";
import type { PageReader } from "./pages.ts";
import type { CursorStore } from "./store.ts";

export type Place = {
  identity: CursorIdentity;
  store: CursorStore;
  reader: PageReader;
  window: number;
  clock: Clock;
};

/** An end below the cursor is believed when it was seen this often, a second apart: replicas may lag. */
const END_LOOKS = 3;
const END_LOOK_PAUSE_MS = 1_000;

/**
 * The stored place, or where to begin when nothing is stored.
 * Throws `CURSOR_OF_ANOTHER_CHANNEL`, `CURSOR_BEYOND_END`, and what store and source throw.
 */
export async function openCursor(place: Place, start: StartPosition, signal: AbortSignal): Promise<Cursor> {
  const stored = await place.store.load();
  if (stored === undefined) return beginAt(place, start, signal);
  const { channelId, service } = stored.identity;
  if (channelId !== place.identity.channelId || service !== place.identity.service)
    throw ofAnotherChannel(stored.identity);
  const cursor = new Cursor({ ...stored, identity: place.identity });
  await requireWithin(place, cursor, signal);
  return cursor;
}

/** Settles where to begin, and stores that before anything else. Throws `CURSOR_BEYOND_END`. */
export async function beginAt(place: Place, start: StartPosition, signal: AbortSignal): Promise<Cursor> {
  const cursor = new Cursor(await startState(place, start, signal));
  await requireWithin(place, cursor, signal);
  await place.store.save(cursor.snapshot(), "now");
  return cursor;
}

async function startState(
  { identity, reader, window }: Place,
  start: StartPosition,
  signal: AbortSignal,
): Promise<CursorState> {
  if (start === "now") {
    const { events, more } = await reader.newest(signal);
    return stateAfter(identity, events, { window, more });
  }
  if (start === "beginning") return stateFrom(identity, 0);
  return "offset" in start ? stateFrom(identity, start.offset) : stateFrom(identity, 0, start.time);
}

/** Throws `CURSOR_BEYOND_END` when the channel ends below the cursor, and goes on doing so. */
export async function requireWithin(
  { reader, clock }: Place,
  { cursor }: Cursor,
  signal: AbortSignal,
): Promise<void> {
  if (cursor < 0) return;
  let end = -1;
  for (let look = 1; look <= END_LOOKS; look += 1) {
    end = (await reader.newest(signal)).last ?? -1;
    if (cursor <= end) return;
    if (look < END_LOOKS) await clock.sleep(END_LOOK_PAUSE_MS, signal);
    throwIfAborted(signal);
  }
  throw beyondEnd(cursor, end);
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
    `The cursor is at offset ${cursor}, but the channel ends at ${end < 0 ? "nothing: it is empty" : end}. The service may have been started afresh, or this is another channel of that id; choose where to go on by resetting the cursor.`,
  );
}
