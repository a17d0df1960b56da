import { join } from "node:path";
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ChannelEvent, Confidence, EventEnvelope } from "../../src/index.ts";
import { isSameId } from "../../src/protocol/ids.ts";
import { channelOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { override } from "../lib/runtime/details.ts";
import { eventNames } from "../lib/runtime/event-names.ts";
import { oneOf } from "../lib/runtime/fields.ts";
import { fileNameOf } from "../lib/runtime/file-name.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { readNames } from "../lib/runtime/names.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { type Expectations, LEVELS } from "./expectations.ts";
import type { SeenDelivery } from "./seen.ts";

export type VerifyEventDef = NodeDef & {
  connection?: string;
  /** Optional: its ABI gives the parameters their own names. */
  contract?: string;
  /** Optional: the answer to a query has to be of it. */
  channel?: string;
  event?: string;
  eventType?: string;
  /** Accept only events of the contract. */
  expectContract?: boolean;
  /** Names or signatures, separated by commas; or a list, by message. */
  expectEvents?: string;
  expectEventsType?: string;
  minConfidence?: "" | Confidence;
  /** Whose signatures are accepted: any configured set, the default one, or that of `expectFamily`. */
  signedBy?: "" | "default" | "family";
  expectFamily?: string;
  /** Seconds; empty accepts any. */
  maxAge?: string | number;
  firstTimeOnly?: boolean;
  /** How many keys "first time only" remembers. */
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
  const minConfidence = oneOf("Confidence", def.minConfidence, LEVELS);
  // Nothing typed in accepts any. A message or a variable that is to say which must say so.
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
function familyOf({ signedBy, expectFamily = "" }: VerifyEventDef): Pick<Expectations, "family"> {
  const chosen = oneOf("Signed by", signedBy, ["default", "family"]);
  if (!chosen) return {};
  if (chosen === "default") return { family: "" };
  if (expectFamily.trim() !== "") return { family: expectFamily.trim() };
  throw nodeError("MISSING_VALUE", '"Family" is empty. Open the node and fill in the oracle family.');
}

/** @throws INVALID_FIELD */
export function rememberOf({ remember }: VerifyEventDef): number {
  return isEmpty(remember) ? REMEMBER.default : Math.floor(number("Remember", remember, REMEMBER.most));
}

/** In the user directory beside the cursors of events in; the node's id keeps the memories of two nodes apart. */
export function seenPath(RED: NodeAPI, id: string): string {
  return join(RED.settings.userDir ?? process.cwd(), "crec-seen", `${fileNameOf(id)}.log`);
}

/** Whether it is the answer to a query: the only event whose channel is signed. */
export function isOfQuery(event: EventEnvelope): boolean {
  const { headers, type }: { headers?: { type?: string }; type?: string } = event;
  return (headers?.type ?? type) === "query.status";
}

/**
 * The channel of an event: the chosen one, else the one that its message was read from. A message that names another
 * event, such as the one that a flow acts on, says nothing about this one.
 * @throws CHANNEL_MISSING, CHANNEL_NOT_FOUND
 */
export async function channelIdOf(
  RED: NodeAPI,
  { channel }: VerifyEventDef,
  msg: CrecMessage,
  event: EventEnvelope,
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
  { channel_id: named }: EventEnvelope,
): Promise<string> {
  const found = (await channelId) ?? named;
  if (found !== undefined) return found;
  throw nodeError(
    "CHANNEL_MISSING",
    "The connection has signer sets for oracle families, and the message does not name the channel of its event. Choose the channel in this node, or keep msg.crec as events in sends it.",
  );
}

/** What may come again before it is processed: an event of a consumer that waits for acknowledgements. */
export function deliveryOf(msg: CrecMessage, event: ChannelEvent): SeenDelivery | undefined {
  const consumer = override(msg, "consumer");
  const named = override(msg, "eventId");
  if (consumer === undefined || named === undefined || !isSameId(named, event.event_id)) return undefined;
  const { attempt, redelivered } = msg.crec ?? {};
  const isRepeated = redelivered === true || (typeof attempt === "number" && attempt > 1);
  return { name: `${consumer} ${event.event_id}`, isRepeated };
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
