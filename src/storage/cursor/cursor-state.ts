import { aList, finite, like } from "../../options/index.ts";
import type { ChannelEvent } from "../../protocol/index.ts";

/** Whose cursor it is: one consumer, on one channel, of one service (its base URL). */
export type CursorIdentity = { consumer: string; channelId: string; service: string };

/** The part of a stored cursor that is about crashes. */
export type CrashCountState = {
  /**
   * Up to this offset, an event that is not settled may have ended the process. An orderly end stores it; when it is
   * missing the process crashed, and events up to the last one handed over are suspects.
   */
  suspectUpTo?: number;
  /** How often a suspect was handed over without an orderly end of the process afterwards. */
  starts?: Array<[eventId: string, count: number]>;
};

/** An offset, and when the channel was first seen to reach it, in Unix seconds. */
export type SeenMark = [offset: number, atSeconds: number];

/** A consumer's cursor in a channel, as it is stored. Offsets; -1 is before the first event. */
export type CursorState = CrashCountState & {
  version: 1;
  identity: CursorIdentity;
  /** The highest offset at or below which everything was delivered or filtered. */
  cursor: number;
  /** At or below this offset nothing is read any more, not even events that become visible late. */
  floor: number;
  /** Events above the cursor and up to here may have been delivered. */
  handedOut: number;
  /**
   * The lowest offset at which an event was read and not settled. When the service has no such event any more, it
   * dropped that one.
   */
  unsettledFrom?: number;
  /** The events delivered last, at least those above the floor, each with the highest offset it was seen at. */
  delivered: Array<[offset: number, eventId: string]>;
  /** The cursor was restored from elsewhere, such as a backup: later events may have been delivered. */
  restored?: boolean;
  /** Events up to this offset may have been delivered before the cursor was restored. */
  restoredUpTo?: number;
  /** When offsets of the last hour were first seen. */
  seen?: SeenMark[];
  /** Events created before this time are skipped. Unix seconds. */
  notBefore?: number;
};

/** The consumer saves often, and what it remembers can be long. */
export const stateKind = like<CursorState>({
  identity: like<CursorIdentity>({}),
  cursor: finite,
  delivered: aList(),
});

/** The state of a consumer that delivers everything from `offset` on. */
export function stateFrom(identity: CursorIdentity, offset: number, notBefore?: number): CursorState {
  const before = Math.max(-1, offset - 1);
  return {
    version: 1,
    identity,
    cursor: before,
    floor: before,
    handedOut: before,
    delivered: [],
    ...(notBefore === undefined ? {} : { notBefore }),
  };
}

/**
 * The state of a consumer that starts after the newest page of a channel, ascending.
 * Visible events count as delivered; events that become visible among them later do not. `more`: there are events
 * below the page.
 */
export function stateAfter(
  identity: CursorIdentity,
  newest: readonly ChannelEvent[],
  { more }: { more: boolean },
): CursorState {
  const end = newest.at(-1)?.headers.offset ?? -1;
  const floor = more ? Math.max(-1, (newest[0]?.headers.offset ?? 0) - 1) : -1;
  const delivered = newest
    .filter(({ headers }) => headers.offset > floor)
    .map((event): [number, string] => [event.headers.offset, event.event_id]);
  return { version: 1, identity, cursor: end, floor, handedOut: end, delivered };
}

/** Whether a value read from a store has the shape of a state. */
export function isCursorState(value: unknown): value is CursorState {
  try {
    return hasShape(value);
  } catch {
    // A getter, or a proxy: nothing that a store has read.
    return false;
  }
}

function hasShape(value: unknown): boolean {
  if (!isObject(value) || value.version !== 1 || !isObject(value.identity)) return false;
  const { consumer, channelId, service } = value.identity;
  const { cursor, floor, handedOut, delivered, seen, restored, restoredUpTo, notBefore } = value;
  const { unsettledFrom } = value;
  return (
    [consumer, channelId, service].every((text) => typeof text === "string") &&
    [cursor, floor, handedOut].every(isOffset) &&
    (notBefore === undefined || typeof notBefore === "number") &&
    isCrashCountState(value) &&
    (restored === undefined || typeof restored === "boolean") &&
    (restoredUpTo === undefined || isOffset(restoredUpTo)) &&
    (unsettledFrom === undefined || isOffset(unsettledFrom)) &&
    (seen === undefined || (Array.isArray(seen) && seen.every(isSeenMark))) &&
    Array.isArray(delivered) &&
    delivered.every((item) => Array.isArray(item) && isOffset(item[0]) && typeof item[1] === "string")
  );
}

function isOffset(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= -1;
}

function isSeenMark(value: unknown): value is SeenMark {
  return Array.isArray(value) && isOffset(value[0]) && Number.isFinite(value[1]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a value read from a store has the shape. */
function isCrashCountState({ suspectUpTo, starts }: Record<string, unknown>): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
  return (
    (suspectUpTo === undefined || (Number.isSafeInteger(suspectUpTo) && Number(suspectUpTo) >= -1)) &&
    (starts === undefined ||
      (Array.isArray(starts) &&
        starts.every((one) => Array.isArray(one) && typeof one[0] === "string" && isCount(one[1]))))
  );
}
