import type { ChannelEvent, DecodedEvent, Delivery, VerifyResult } from "../../../src/index.ts";
import type { CrecMessage } from "./message.ts";

type Decoding = {
  decodeEvent(event: ChannelEvent): DecodedEvent;
  dedupeKey(event: ChannelEvent): string;
  /** Those that this version knows. */
  EVENT_TYPES: readonly string[];
};

/** What stands as the payload of an event that was not decoded: nothing in it can be taken for a decoded event. */
export type Undecoded = { type: string; undecoded: unknown };

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
  const { event, offset, redelivered, late, restored, attempt, verification, rejection } = delivery;
  const { type } = event.headers;
  const payload = payloadOf(event, decoding);
  const dedupeKey = verification?.verified ? decoding.dedupeKey(event) : undefined;
  return {
    payload,
    topic: topicOf(event, payload, decoding),
    crec: {
      event,
      eventId: event.event_id,
      offset,
      channelId,
      type,
      ...(verification ? { verification } : {}),
      // Nobody waits until a notice is acknowledged.
      ...(consumer === undefined || isNotice(verification) ? {} : { consumer }),
      ...(redelivered ? { redelivered } : {}),
      ...(late ? { late } : {}),
      ...(restored ? { restored } : {}),
      ...(attempt > 1 ? { attempt } : {}),
      ...(rejection === undefined ? {} : { rejection }),
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    },
  } as CrecMessage;
}

type Unverified = Extract<VerifyResult, { verified: false }>;
type Notice = Unverified & { reason: "not_verifiable" };

/** Whether an event was checked and is of a kind that never carries a proof: it is good for showing, not for acting. */
export function isNotice(verification: VerifyResult | undefined): verification is Notice {
  return verification?.verified === false && verification.reason === "not_verifiable";
}

/** Whether an event should carry a proof, and that failed. */
export function isRejected(
  verification: VerifyResult | undefined,
): verification is Exclude<Unverified, Notice> {
  return verification?.verified === false && !isNotice(verification);
}

export function isKnownType({ headers }: ChannelEvent, known: { EVENT_TYPES: readonly string[] }): boolean {
  return known.EVENT_TYPES.includes(headers.type);
}

/**
 * The decoded event. One that cannot be decoded is still an event, and goes on wrapped: a sender could give it any
 * shape, also that of a decoded one.
 */
export function payloadOf(event: ChannelEvent, decoding: Decoding): DecodedEvent | Undecoded {
  const { headers, payload } = event;
  try {
    if (isKnownType(event, decoding)) return decoding.decodeEvent(event);
  } catch {
    // As one of an unknown type.
  }
  return { type: headers.type, undecoded: payload };
}

/** `watcher.event/Transfer`, or the type. An unknown type may be spelled like either. */
function topicOf(event: ChannelEvent, payload: DecodedEvent | Undecoded, decoding: Decoding): string {
  const { type } = event.headers;
  if (!isKnownType(event, decoding)) return "unknown";
  return type === "watcher.event" && "name" in payload ? `${type}/${payload.name}` : type;
}
