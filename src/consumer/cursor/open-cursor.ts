import { CrecError } from "../../errors.ts";
import { canonicalId, idOfUnnamed, isSameId } from "../../protocol/index.ts";
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

/** The stored cursor is not one of this channel at this service. `hint`: what else to do. */
function ofAnotherChannel({ channelId, service }: CursorIdentity, hint = ""): CrecError {
  return new CrecError(
    "CURSOR_OF_ANOTHER_CHANNEL",
    `The stored cursor belongs to channel ${channelId} of ${service}. ${hint}Use another consumer name, or reset the cursor to start over on this channel.`,
  );
}

/** The same channel of a service with another address. */
function ofAnotherAddress(identity: CursorIdentity, now: CursorIdentity): CrecError {
  const hint = `If ${now.service} is a new address of that service, go on at the same offset: with Move cursor in the form, a message with the topic seek and the payload stored, or continueStored() in code. The newest event that the cursor remembers is compared first. Otherwise: `;
  return ofAnotherChannel(identity, hint);
}

/**
 * Whether a service at a new address has the channel of a cursor: it must return the newest event that the cursor
 * remembers, at its offset. So nothing is skipped, and nothing is sent again.
 * @throws {CrecError} `CURSOR_OF_ANOTHER_CHANNEL`, and what the source throws
 */
async function requireSameEvent(
  { identity, delivered }: CursorState,
  reader: Pick<PageReader, "eventAt">,
  signal: AbortSignal,
): Promise<void> {
  // An id that was made of the offset is the same everywhere.
  const named = delivered.filter(([offset, id]) => id !== idOfUnnamed(offset));
  const [offset, id] = named.reduce((newest, one) => (one[0] > newest[0] ? one : newest), [-1, ""]);
  if (offset < 0) throw ofAnotherChannel(identity, "It remembers no event that could be compared. ");
  const event = await reader.eventAt(offset, signal);
  if (event?.event_id === canonicalId(id)) return;
  const found = event ? `has event ${event.event_id} there` : "returns no event there";
  const hint = `It remembers event ${id} at offset ${offset}, but this service ${found}: so nothing says that it is the same channel. `;
  throw ofAnotherChannel(identity, hint);
}
