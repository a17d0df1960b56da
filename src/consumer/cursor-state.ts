import type { ChannelEvent } from "../protocol/index.ts";
import type { SeenMark } from "./first-seen.ts";
import { isStartsState, type StartsState } from "./starts.ts";

/** Whose place it is: one consumer, on one channel, of one service (its base address). */
export type CursorIdentity = { consumer: string; channelId: string; service: string };

/** A consumer's place in a channel, as it is stored. Offsets; -1 is before the first event. */
export type CursorState = StartsState & {
  version: 1;
  identity: CursorIdentity;
  /** The highest offset with everything at or below it delivered, or not wanted. */
  cursor: number;
  /** At or below this nothing is looked for any more, not even what becomes visible late. */
  floor: number;
  /** Everything above the cursor up to here may have been delivered before. */
  handedOut: number;
  /** What was delivered last, and above the floor at least; each event with the highest offset it was seen at. */
  delivered: Array<[offset: number, eventId: string]>;
  /** The place was put there from elsewhere, such as a backup: later events than it says may have been delivered. */
  restored?: boolean;
  /** Events up to this offset may have been delivered before the place was put there. */
  restoredUpTo?: number;
  /** When offsets of the last hour were first seen. */
  seen?: SeenMark[];
  /** Events made before this time are passed over. Unix seconds. */
  notBefore?: number;
};

/** The state of a consumer that has everything from `offset` on before it. */
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
 * What is visible now counts as delivered; what becomes visible among it later does not. `more`: there are
 * events below the page.
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
  if (!isObject(value) || value.version !== 1 || !isObject(value.identity)) return false;
  const { consumer, channelId, service } = value.identity;
  const { cursor, floor, handedOut, delivered, seen, restored, restoredUpTo, notBefore } = value;
  return (
    [consumer, channelId, service].every((text) => typeof text === "string") &&
    [cursor, floor, handedOut].every(isOffset) &&
    (notBefore === undefined || typeof notBefore === "number") &&
    isStartsState(value) &&
    (restored === undefined || typeof restored === "boolean") &&
    (restoredUpTo === undefined || isOffset(restoredUpTo)) &&
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
