import { canonicalId } from "../../../src/protocol/ids.ts";
import { isObject } from "../shared/collections.ts";
import { nodeError } from "../shared/errors.ts";
import type { CrecMessage } from "./message.ts";

/**
 * The channel a message asks for instead of the form's. On a message of events in the same name says where the
 * event came from: that must not redirect what the flow does about it.
 * @throws INVALID_FIELD for anything but text
 */
export function channelOverride(msg: CrecMessage): string | undefined {
  const { crec } = msg;
  if (!isObject(crec) || !Object.hasOwn(crec, "channelId") || override(msg, "eventId") !== undefined) {
    return undefined;
  }
  const channelId = override(msg, "channelId");
  if (channelId !== undefined) return canonicalId(channelId);
  throw nodeError(
    "INVALID_FIELD",
    "msg.crec.channelId must be the id of a channel, as text. Set it to one, or delete it to use the channel of the form.",
  );
}

/**
 * `msg.crec` with what was found out beside what it holds. On a message of events in the channel stays the one that
 * the event came from, whatever channel was acted on: `channelId` belongs to `eventId`.
 */
export function withDetails(
  msg: CrecMessage,
  { channelId, ...crec }: Record<string, unknown>,
): Record<string, unknown> {
  const isOfEvent = override(msg, "eventId") !== undefined;
  return { ...msg.crec, ...(channelId === undefined || isOfEvent ? {} : { channelId }), ...crec };
}

/** A text that a message may override under `msg.crec`. */
export function override(msg: CrecMessage, name: string): string | undefined {
  const value = msg.crec?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
