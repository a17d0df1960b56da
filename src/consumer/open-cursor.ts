import { CrecError } from "../errors.ts";
import { isSameId } from "../protocol/index.ts";
import { Cursor } from "./cursor.ts";
import { type CursorIdentity, type CursorState, stateAfter, stateFrom } from "./cursor-state.ts";
import type { ConsumerStart, StartPosition } from "./options.ts";
import type { PageReader } from "./page-reader.ts";
import type { CursorStore } from "./store.ts";

export type CursorContext = {
  identity: CursorIdentity;
  store: CursorStore;
  reader: PageReader;
  /** Called with the position, once it is stored. */
  onStart: (start: ConsumerStart) => void;
  /** Called when the cursor was restored from elsewhere, such as a backup. */
  onRestored: (upTo: number) => void;
};

/**
 * The stored cursor, or a new one at `start` when nothing is stored.
 * Throws `CURSOR_OF_ANOTHER_CHANNEL`, and what store and source throw.
 */
export async function openCursor(
  context: CursorContext,
  start: StartPosition,
  signal: AbortSignal,
): Promise<Cursor> {
  const stored = await context.store.load();
  if (stored !== undefined) return storedCursor(context, stored, signal);
  const first = new Cursor(await stateAt(context, start, signal));
  const other = await context.store.begin?.(first.snapshot(), signal);
  if (other !== undefined) return storedCursor(context, other, signal);
  return begun(context, { from: "start", position: start }, first);
}

async function storedCursor(
  context: CursorContext,
  stored: CursorState,
  signal: AbortSignal,
): Promise<Cursor> {
  const { channelId, service } = stored.identity;
  if (!isSameId(channelId, context.identity.channelId) || service !== context.identity.service)
    throw ofAnotherChannel(stored.identity);
  const { restored, ...state } = stored;
  const restoredUpTo = restored ? ((await context.reader.newest(signal)).last ?? -1) : state.restoredUpTo;
  context.onStart({ from: "stored", after: stored.cursor });
  if (restored && restoredUpTo !== undefined) context.onRestored(restoredUpTo);
  return new Cursor({
    // When it is missing, the process did not end in order.
    suspectUpTo: stored.handedOut,
    ...state,
    ...(restoredUpTo === undefined ? {} : { restoredUpTo }),
    identity: context.identity,
  });
}

/** A cursor at a chosen position, stored before anything else happens. */
export async function newCursor(
  context: CursorContext,
  chosen: { from: "start" | "seek"; position: StartPosition },
  signal: AbortSignal,
): Promise<Cursor> {
  return begun(context, chosen, new Cursor(await stateAt(context, chosen.position, signal)));
}

async function begun(
  context: CursorContext,
  chosen: { from: "start" | "seek"; position: StartPosition },
  cursor: Cursor,
): Promise<Cursor> {
  await context.store.save(cursor.snapshot(), "now");
  context.onStart({ ...chosen, after: cursor.cursor });
  return cursor;
}

async function stateAt(
  { identity, reader }: CursorContext,
  position: StartPosition,
  signal: AbortSignal,
): Promise<CursorState> {
  if (position === "now") {
    const { events, more } = await reader.newest(signal);
    return stateAfter(identity, events, { more });
  }
  if (position === "beginning") return stateFrom(identity, 0);
  return "offset" in position ? stateFrom(identity, position.offset) : stateFrom(identity, 0, position.time);
}

function ofAnotherChannel({ channelId, service }: CursorIdentity): CrecError {
  return new CrecError(
    "CURSOR_OF_ANOTHER_CHANNEL",
    `The stored cursor belongs to channel ${channelId} of ${service}. Use another consumer name, or reset the cursor to start over on this channel.`,
  );
}
