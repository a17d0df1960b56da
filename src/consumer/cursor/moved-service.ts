import { CrecError } from "../../errors.ts";
import { canonicalId, idOfUnnamed } from "../../protocol/index.ts";
import type { CursorIdentity, CursorState } from "../../storage/cursor/cursor-state.ts";
import type { PageReader } from "../pages/page-reader.ts";

/** The stored cursor is not one of this channel at this service. `hint`: what else to do. */
export function ofAnotherChannel({ channelId, service }: CursorIdentity, hint = ""): CrecError {
  return new CrecError(
    "CURSOR_OF_ANOTHER_CHANNEL",
    `The stored cursor belongs to channel ${channelId} of ${service}. ${hint}Use another consumer name, or reset the cursor to start over on this channel.`,
  );
}

/** The same channel of a service with another address. */
export function ofAnotherAddress(identity: CursorIdentity, now: CursorIdentity): CrecError {
  const hint = `If ${now.service} is a new address of that service, go on at the same offset: with Move cursor in the form, a message with the topic seek and the payload stored, or continueStored() in code. The newest event that the cursor remembers is compared first. Otherwise: `;
  return ofAnotherChannel(identity, hint);
}

/**
 * Whether a service at a new address has the channel of a cursor: it must return the newest event that the cursor
 * remembers, at its offset. So nothing is skipped, and nothing is sent again.
 * @throws {CrecError} `CURSOR_OF_ANOTHER_CHANNEL`, and what the source throws
 */
export async function requireSameEvent(
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
