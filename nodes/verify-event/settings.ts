import { join } from "node:path";
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ChannelEvent, Confidence, DedupeDelivery, Expectations } from "../../src/index.ts";
import { CONFIDENCES, isEvent, isSameId } from "../../src/protocol/index.ts";
import { channelOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { override } from "../lib/runtime/details.ts";
import { eventNames } from "../lib/runtime/event-names.ts";
import { oneOf } from "../lib/runtime/fields.ts";
import { fileNameOf } from "../lib/runtime/file-name.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { readNames } from "../lib/runtime/names.ts";
import { nodeError } from "../lib/shared/errors.ts";

export type VerifyEventDef = NodeDef & {
  connection?: string;
  /** Optional: the parameters get the names of its ABI. */
  contract?: string;
  /** Optional: the answer to a query must be from it. */
  channel?: string;
  event?: string;
  eventType?: string;
  /** Accept only events of `contract`. */
  expectContract?: boolean;
  /** Names or signatures, separated by commas; a message may give a list. */
  expectEvents?: string;
  expectEventsType?: string;
  minConfidence?: "" | Confidence;
  /** Which signer set is accepted: any configured one, the default one, or that of `expectFamily`. */
  signedBy?: "" | "default" | "family";
  expectFamily?: string;
  /** Seconds; empty accepts any age. */
  maxAge?: string | number;
  firstTimeOnly?: boolean;
  /** How many keys `firstTimeOnly` remembers. */
  remember?: string | number;
};

export const REMEMBER = { default: 10_000, most: 100_000 } as const;

/** @throws INVALID_FIELD, MISSING_VALUE, CONTRACT_MISSING */
export async function expectationsOf(
  RED: NodeAPI,
  node: Node,
  def: VerifyEventDef,
  msg: CrecMessage,
): Promise<Expectations> {
  const { expectEvents, expectEventsType = "str" } = def;
  const field = { label: "Events", value: expectEvents, type: expectEventsType };
  const events = await eventNames(await readNames(RED, node, msg, field), field.label);
  const minConfidence = oneOf("Confidence", def.minConfidence, CONFIDENCES);
  // An empty text field accepts any event. A message or variable must not be empty.
  if (events.length === 0 && expectEventsType !== "str") {
    const place = `${expectEventsType}.${expectEvents}`;
    throw nodeError("MISSING_VALUE", `"Events" is empty. It was looked for in ${place}.`);
  }
  return {
    ...familyOf(def),
    ...(def.expectContract ? { contract: contractOf(RED, def.contract) } : {}),
    ...(events.length > 0 ? { events } : {}),
    ...(minConfidence ? { minConfidence } : {}),
    ...(isEmpty(def.maxAge) ? {} : { maxAge: number("At most", def.maxAge, Number.POSITIVE_INFINITY) }),
  };
}

/** @throws INVALID_FIELD, MISSING_VALUE */
function familyOf({ signedBy, expectFamily = "" }: VerifyEventDef): Pick<Expectations, "donFamily"> {
  const chosen = oneOf("Signed by", signedBy, ["default", "family"]);
  if (!chosen) return {};
  if (chosen === "default") return { donFamily: "" };
  if (expectFamily.trim() !== "") return { donFamily: expectFamily.trim() };
  throw nodeError("MISSING_VALUE", '"Family" is empty. Open the node and fill in the oracle family.');
}

/** @throws INVALID_FIELD */
export function rememberOf({ remember }: VerifyEventDef): number {
  return isEmpty(remember) ? REMEMBER.default : Math.floor(number("Remember", remember, REMEMBER.most));
}

/** In the user directory, beside the cursors of events in. Each node has a file of its own. */
export function dedupePath(RED: NodeAPI, id: string): string {
  return join(RED.settings.userDir ?? process.cwd(), "crec-seen", `${fileNameOf(id)}.log`);
}

/** Whether the channel of an event is signed: only in answers to queries. */
export function hasSignedChannel(event: ChannelEvent): boolean {
  return isEvent(event, "query.status");
}

/**
 * The channel of an event: the chosen one, else the one that the message names for this event. The message may name
 * another event, such as the one that a flow processes; then its channel does not count.
 * @throws CHANNEL_MISSING, CHANNEL_NOT_FOUND
 */
export async function channelIdOf(
  RED: NodeAPI,
  { channel }: VerifyEventDef,
  msg: CrecMessage,
  event: ChannelEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (channel) return channelOf(RED, channel).resolve(signal);
  const named = override(msg, "eventId");
  return named === undefined || isSameId(named, event.event_id) ? override(msg, "channelId") : undefined;
}

/**
 * The channel in which the watcher of an event is looked up.
 * @throws CHANNEL_MISSING, CHANNEL_NOT_FOUND
 */
export async function watcherChannelOf(
  channelId: Promise<string | undefined>,
  { channel_id: named }: ChannelEvent,
): Promise<string> {
  const found = (await channelId) ?? named;
  if (found !== undefined) return found;
  throw nodeError(
    "CHANNEL_MISSING",
    "The connection has signer sets for oracle families, and the message does not name the channel of its event. Choose the channel in this node, or keep msg.crec as events in sends it.",
  );
}

/** The delivery of a consumer that delivers an event again until it is acknowledged. */
export function deliveryOf(msg: CrecMessage, event: ChannelEvent): DedupeDelivery | undefined {
  const consumer = override(msg, "consumer");
  const named = override(msg, "eventId");
  if (consumer === undefined || named === undefined || !isSameId(named, event.event_id)) return undefined;
  const { attempt, redelivered } = msg.crec ?? {};
  const isRedelivered = redelivered === true || (typeof attempt === "number" && attempt > 1);
  return { id: `${consumer} ${event.event_id}`, redelivered: isRedelivered };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || String(value).trim() === "";
}

function number(label: string, value: unknown, most: number): number {
  const given = Number(value);
  if (given >= 1 && given <= most) return given;
  const range = Number.isFinite(most) ? `from 1 to ${most}` : "from 1 on";
  throw nodeError("INVALID_FIELD", `"${label}" must be a number ${range}, not "${value}".`);
}
