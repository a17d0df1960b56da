import type { ChannelEvent, RaisedAlert, VerifyResult } from "../../../src/index.ts";
import { isEvent, statedTimeOf } from "../../../src/protocol/index.ts";
import type { Library } from "../../common/library.ts";
import { eventIn, isRejected, isUndecoded } from "../../common/messages/event-message.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { override } from "../../common/messages/message.ts";
import { isObject } from "../../common/shared/collections.ts";
import type { NamedEvent } from "../../common/status/channel-progress.ts";

/** Why an event is not counted at all; undefined if it is counted. */
export function notCounted(msg: CrecMessage): "rejected" | "undecoded" | undefined {
  const { crec = {}, payload } = msg;
  if (isRejected(verificationOf(crec)) || crec.rejection !== undefined) return "rejected";
  return isUndecoded(payload) && eventIn(msg) ? "undecoded" : undefined;
}

/** The same for each delivery of one log, at each level; without a proof, of one event. Undefined for other messages. */
export function idOf(msg: CrecMessage, { eventKeyOf }: Pick<Library, "eventKeyOf">): string | undefined {
  const key = override(msg, "dedupeKey");
  if (key !== undefined) return eventKeyOf(key);
  const eventId = override(msg, "eventId");
  // The prefix keeps it apart from keys of signed content.
  return eventId === undefined ? undefined : `unproven ${override(msg, "channelId") ?? ""} ${eventId}`;
}

/** Whether the message is about an event whose proof was checked. */
export function provenEventOf(msg: CrecMessage): ChannelEvent | undefined {
  const { crec = {} } = msg;
  if (verificationOf(crec)?.verified !== true || typeof crec.dedupeKey !== "string") return undefined;
  return eventIn(msg);
}

/** What a message is about: an event by its name, a status, or a value. Only the same ends an alert of it. */
export function subjectOf({ payload }: CrecMessage): string {
  if (!isObject(payload)) return "value";
  if (typeof payload.name === "string" && isObject(payload.params)) return `event ${payload.name}`;
  return typeof payload.status === "string" ? "status" : "value";
}

/** What reports a contract event, in the order of blocks, and when that was; empty for other messages. */
export function sourceOf(msg: CrecMessage): { source?: string; reportedAt?: number } {
  const event = eventIn(msg);
  if (event === undefined || !isEvent(event, "watcher.event")) return {};
  const { watcher_id: source } = isObject(event.payload) ? event.payload : {};
  if (typeof source !== "string") return {};
  const reportedAt = seconds(statedTimeOf(event));
  return { source, ...(reportedAt === undefined ? {} : { reportedAt: reportedAt * 1000 }) };
}

/** Whether an event in the message was not checked: what it says may be forged. */
export function isUnproven(msg: CrecMessage): boolean {
  return eventIn(msg) !== undefined && verificationOf(msg.crec ?? {})?.verified !== true;
}

/**
 * The time of an event's block in milliseconds; undefined for what has none, which counts as of now. The answer of a
 * query counts when it arrives: where nothing happens, some chains make no block, and the time of the newest one stands
 * still.
 */
export function timeOf({ payload, crec = {} }: CrecMessage, now: number): number | undefined {
  const stated = seconds(isObject(payload) ? payload.blockTime : undefined);
  if (stated === undefined) return undefined;
  const at = stated * 1000;
  // After a forged time in the future, real events would be too late.
  return verificationOf(crec)?.verified === true ? at : Math.min(at, now);
}

function verificationOf(crec: Readonly<Record<string, unknown>>): VerifyResult | undefined {
  return isObject(crec.verification) ? (crec.verification as VerifyResult) : undefined;
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && number > 0 && number < 1e11 ? number : undefined;
}

/** The event that a message came with: what is sent for it waits for its acknowledgement. */
export function eventOf(msg: CrecMessage): NamedEvent | undefined {
  const eventId = override(msg, "eventId");
  if (eventId === undefined) return undefined;
  const offset = msg.crec?.offset;
  return {
    eventId,
    offset: typeof offset === "number" ? offset : undefined,
    channelId: override(msg, "channelId"),
    consumer: override(msg, "consumer"),
    reader: override(msg, "reader"),
  };
}

/** The event that a stored alert was made of. */
export function eventOfAlert({ details }: RaisedAlert): NamedEvent | undefined {
  const event = isObject(details) && isObject(details.from) ? details.from : {};
  const crec = event as CrecMessage["crec"];
  return eventOf({ payload: undefined, crec } as CrecMessage);
}
