import type { ChannelEvent, DecodedEvent, Delivery, VerifyResult } from "../../src/index.ts";
import type { CrecMessage } from "./input.ts";

type Decoding = {
  decodeEvent(event: ChannelEvent): DecodedEvent;
  dedupeKey(event: ChannelEvent): string;
};

type Origin = {
  channelId: string;
  /** Named only where an acknowledgement has to find back to it. */
  consumer?: string;
};

/** A delivered event as the message that leaves the node. */
export function toMessage(
  delivery: Delivery & { rejection?: string },
  { channelId, consumer }: Origin,
  decoding: Decoding,
): CrecMessage {
  const { event, offset, redelivered, late, attempt, verification, rejection } = delivery;
  const { type } = event.headers;
  const payload = decoded(event, decoding);
  const name = type === "watcher.event" && payload ? (payload as { name?: unknown }).name : undefined;
  const dedupeKey = verification?.verified ? decoding.dedupeKey(event) : undefined;
  return {
    payload: payload ?? event.payload,
    topic: typeof name === "string" ? `${type}/${name}` : type,
    crec: {
      event,
      eventId: event.event_id,
      offset,
      channelId,
      type,
      ...(verification ? { verification } : {}),
      ...(consumer === undefined ? {} : { consumer }),
      ...(redelivered ? { redelivered } : {}),
      ...(late ? { late } : {}),
      ...(attempt > 1 ? { attempt } : {}),
      ...(rejection === undefined ? {} : { rejection }),
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    },
  } as CrecMessage;
}

/** Types that never carry a proof are no failure of one. */
export function isRejected(
  verification: VerifyResult | undefined,
): verification is Extract<VerifyResult, { verified: false }> {
  return verification?.verified === false && verification.reason !== "not_verifiable";
}

/** An event that cannot be decoded is still an event: it goes on as it came. */
function decoded(event: ChannelEvent, { decodeEvent }: Decoding): DecodedEvent | undefined {
  try {
    return decodeEvent(event);
  } catch {
    return undefined;
  }
}
