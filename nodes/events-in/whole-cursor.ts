import type { CursorState } from "../../src/index.ts";

/** Whether what came from outside, from a person's file or a context store, is a cursor and all of one. */
export function isWholeCursor(value: unknown): value is CursorState {
  const { version, identity, cursor, floor, handedOut, delivered, notBefore } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const { consumer, channelId, service } = (identity ?? {}) as Record<string, unknown>;
  return (
    version === 1 &&
    [consumer, channelId, service].every((text) => typeof text === "string") &&
    [cursor, floor, handedOut].every(isOffset) &&
    (notBefore === undefined || typeof notBefore === "number") &&
    Array.isArray(delivered) &&
    delivered.every((one) => Array.isArray(one) && isOffset(one[0]) && typeof one[1] === "string")
  );
}

function isOffset(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= -1;
}
