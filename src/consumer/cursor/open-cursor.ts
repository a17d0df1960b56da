import { isSameId } from "../../protocol/index.ts";
import {
  type CursorIdentity,
  type CursorState,
  stateAfter,
  stateFrom,
} from "../../storage/cursor/cursor-state.ts";
import type { CursorStore } from "../../storage/cursor/store.ts";
import type { ConsumerStart, StartPosition } from "../options.ts";
import type { PageReader } from "../pages/page-reader.ts";
import { Cursor } from "./cursor.ts";
import { ofAnotherAddress, ofAnotherChannel, requireSameEvent } from "./moved-service.ts";

export type CursorContext = {
  identity: CursorIdentity;
  store: CursorStore;
  reader: PageReader;
  /** A stored cursor of another address of the service is taken over, if the service has its newest event. */
  acceptsMove?: boolean;
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
  if (!isSameId(channelId, context.identity.channelId)) throw ofAnotherChannel(stored.identity);
  const isMoved = service !== context.identity.service;
  if (isMoved && !context.acceptsMove) throw ofAnotherAddress(stored.identity, context.identity);
  if (isMoved) await requireSameEvent(stored, context.reader, signal);
  const { restored, ...state } = stored;
  const restoredUpTo = restored ? ((await context.reader.newest(signal)).last ?? -1) : state.restoredUpTo;
  const cursor = {
    // When it is missing, the process did not end in order.
    suspectUpTo: stored.handedOut,
    ...state,
    ...(restoredUpTo === undefined ? {} : { restoredUpTo }),
    identity: context.identity,
  };
  if (isMoved) await context.store.save(cursor, "now");
  context.onStart({ from: "stored", after: stored.cursor });
  if (restored && restoredUpTo !== undefined) context.onRestored(restoredUpTo);
  return new Cursor(cursor);
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
