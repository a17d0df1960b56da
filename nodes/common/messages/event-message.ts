import type { ChannelEvent, DecodedEvent, Delivery, Verification } from "../../../src/index.ts";
import type { NodeContext } from "../context.ts";
import { noteAddresses } from "../fields/recent-addresses.ts";
import { isObject } from "../shared/collections.ts";
import { toCodedError } from "../shared/errors.ts";
import { cutAtWord } from "../shared/text.ts";
import type { CrecMessage } from "./message.ts";

/** A signature in it may be long. */
const LONGEST_REASON = 400;

type Decoding = {
  decodeEvent(event: ChannelEvent): DecodedEvent;
  dedupeKey(event: ChannelEvent): string;
  /** The types that this version knows. */
  EVENT_TYPES: readonly string[];
};

/**
 * The payload of an event that could not be decoded. It cannot be mistaken for a decoded event. `reason` is missing where
 * the type is not known.
 */
type Undecoded = { type: string; undecoded: unknown; reason?: string };

type Origin = {
  channelId: string;
  /** The name of the consumer that reads; undefined for what is only looked up. */
  reader?: string;
  /** The same. Set only for events that are acknowledged. */
  consumer?: string;
};

/** The message for a delivered event. */
export function toMessage(
  delivery: Delivery & { rejection?: string },
  { channelId, reader, consumer }: Origin,
  decoding: Decoding,
): CrecMessage {
  const { event, offset, redelivered, late, restored, attempt, epoch, verification, rejection } = delivery;
  const { type } = event.headers;
  const payload = payloadOf(event, decoding);
  // A forged event must not get an address into the forms.
  if (!isRejected(verification)) noteAddresses(payload);
  const dedupeKey = verification?.verified ? decoding.dedupeKey(event) : undefined;
  return {
    payload,
    topic: topicOf(event, payload, decoding),
    crec: {
      event,
      eventId: event.event_id,
      offset,
      channelId,
      ...(reader === undefined ? {} : { reader }),
      type,
      ...(verification ? { verification } : {}),
      // Notices are not acknowledged.
      ...(consumer === undefined || isNotice(verification) ? {} : { consumer }),
      ...(epoch === undefined ? {} : { epoch }),
      ...(redelivered ? { redelivered } : {}),
      ...(late ? { late } : {}),
      ...(restored ? { restored } : {}),
      ...(attempt > 1 ? { attempt } : {}),
      ...(rejection === undefined ? {} : { rejection }),
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    },
  } as CrecMessage;
}

/** The event that a message carries. What is there instead counts as none. */
export function eventIn({ crec }: CrecMessage): ChannelEvent | undefined {
  return isObject(crec?.event) ? (crec.event as ChannelEvent) : undefined;
}

export function isUndecoded(payload: unknown): payload is Undecoded {
  return isObject(payload) && "undecoded" in payload;
}

/** Whether the event of a message may have been delivered before. */
export function isRedelivered({ crec = {} }: CrecMessage): boolean {
  return crec.redelivered === true || (typeof crec.attempt === "number" && crec.attempt > 1);
}

type Unverified = Extract<Verification, { verified: false }>;
type Notice = Unverified & { reason: "not_verifiable" };

/** Whether an event was checked and is of a type that never carries a proof: a flow may show it, but not act on it. */
export function isNotice(verification: Verification | undefined): verification is Notice {
  return verification?.verified === false && verification.reason === "not_verifiable";
}

/** Whether an event should carry a proof, and its check failed. */
export function isRejected(
  verification: Verification | undefined,
): verification is Exclude<Unverified, Notice> {
  return verification?.verified === false && !isNotice(verification);
}

export function isKnownType({ headers }: ChannelEvent, known: { EVENT_TYPES: readonly string[] }): boolean {
  return known.EVENT_TYPES.includes(headers.type);
}

/**
 * The decoded event. An event that cannot be decoded is sent wrapped: its sender could give it the form of a decoded
 * event.
 */
export function payloadOf(event: ChannelEvent, decoding: Decoding): DecodedEvent | Undecoded {
  const { headers, payload } = event;
  const { type } = headers;
  if (!isKnownType(event, decoding)) return { type, undecoded: payload };
  try {
    return decoding.decodeEvent(event);
  } catch (error) {
    return { type, undecoded: payload, reason: cutAtWord(toCodedError(error).message, LONGEST_REASON) };
  }
}

/** `watcher.event/Transfer`, or the type. An unknown type may look like either, so it is not used. */
function topicOf(event: ChannelEvent, payload: DecodedEvent | Undecoded, decoding: Decoding): string {
  const { type } = event.headers;
  if (!isKnownType(event, decoding)) return "unknown";
  return type === "watcher.event" && "name" in payload ? `${type}/${payload.name}` : type;
}

/** More reasons than these are a sender's play. */
const MOST = 10;

/** Counts the accepted events that cannot be decoded, which no condition and no alert counts. Each reason is logged once. */
export class UndecodedNote {
  readonly #context: Pick<NodeContext, "node" | "t">;
  readonly #key: string;
  readonly #told = new Set<string>();
  #count = 0;

  /** `key`: the sentence, in the catalog of the node. */
  constructor(context: Pick<NodeContext, "node" | "t">, key: string) {
    this.#context = context;
    this.#key = key;
  }

  get count(): number {
    return this.#count;
  }

  note({ payload, crec = {} }: CrecMessage): void {
    const { verification, offset = "" } = crec as { verification?: never; offset?: number };
    if (isRejected(verification) || isNotice(verification)) return;
    // Of an unknown type there is no reason: events in has a list of these.
    if (!isUndecoded(payload) || payload.reason === undefined) return;
    this.#count += 1;
    const { reason } = payload;
    if (this.#told.has(reason) || this.#told.size >= MOST) return;
    this.#told.add(reason);
    // As an error: a rehearsal has it among its outcomes. It belongs to no message that a catch node could take.
    const { node, t } = this.#context;
    node.error(t(this.#key, { offset, reason }));
  }
}
