import type { Node } from "node-red";
import type { ChannelEvent, VerifyResult } from "../../src/index.ts";
import { isSameId } from "../../src/protocol/index.ts";
import { isRedelivered } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest, override } from "../common/messages/message.ts";
import { isObject } from "../common/shared/collections.ts";
import { activity } from "../common/telemetry/activity.ts";
import { eventReport } from "../common/telemetry/event-report.ts";
import { originOf } from "../common/telemetry/origin.ts";
import type { EventReport } from "../common/telemetry/types.ts";

export type Checked = {
  msg: CrecMessage;
  event: ChannelEvent;
  verification: VerifyResult;
  proofMs: number;
  /** Its payload as a message has it, where it is decoded. */
  decoded?: unknown;
  /** Why the node rejects an event whose proof is valid. */
  reason?: string;
};

/**
 * Reports the result for an event. One that events in has delivered keeps its row, which gets the result; nothing is
 * reported where that row says the same already.
 */
export function noteChecked(node: Node, { msg, event, verification, ...more }: Checked): void {
  if (isTest(msg)) return;
  const named = override(msg, "eventId");
  const isOfMessage = named !== undefined && isSameId(named, event.event_id);
  const channelId = (isOfMessage ? override(msg, "channelId") : undefined) ?? event.channel_id ?? "";
  const origin = originOf(node);
  const delivered = deliveryIn({ channelId, flow: origin.flow, consumer: msg.crec?.consumer }, event);
  // The same event would be verified again: this is a changed copy of it, with a row of its own.
  const isCopy = delivered?.proof === "verified" && !verification.verified;
  const before = isCopy ? undefined : delivered;
  const report = eventReport({
    ...{ origin, consumer: before?.consumer ?? "", channelId, event, verification },
    ...{ decoded: undefined, isRedelivered: isRedelivered(msg), isLate: msg.crec?.late === true },
    ...more,
  });
  const wasChecked = isOfMessage && isObject(msg.crec?.verification);
  const isKnown = before ? before.proof === report.proof : wasChecked;
  if (isKnown && report.reason === before?.reason) return;
  const replacing = before ? { before, event: { ...before, ...report, number: before.number } } : undefined;
  activity.note({ kind: "event", event: report, ...replacing });
}

type Place = { channelId: string; flow: string; consumer: unknown };

/**
 * The newest delivery of an event that is still listed. Several consumers may have had it: a message names its own only
 * where it is acknowledged, else it is one of the same flow if there is one, and first one that nobody has checked.
 */
function deliveryIn({ channelId, flow, consumer }: Place, event: ChannelEvent): EventReport | undefined {
  if (channelId === "") return undefined;
  const newest = new Map<string, EventReport>();
  for (const one of activity.events.all()) {
    const isIt = one.channelId === channelId && one.offset === event.headers.offset && one.consumer !== "";
    const known = isIt ? newest.get(one.consumer) : undefined;
    // A row that a check has replaced is listed as the newest.
    if (isIt && one.number > (known?.number ?? 0)) newest.set(one.consumer, one);
  }
  const rank = (one: EventReport) =>
    (one.consumer === consumer ? 4 : 0) + (one.flow === flow ? 2 : 0) + (one.proof === "unchecked" ? 1 : 0);
  return [...newest.values()].toSorted((a, b) => rank(b) - rank(a) || b.number - a.number)[0];
}
