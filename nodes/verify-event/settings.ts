import { join } from "node:path";
import type { NodeAPI } from "node-red";
import type { ChannelEvent, DedupeDelivery, Expectations } from "../../src/index.ts";
import { isEvent, isSameId } from "../../src/protocol/index.ts";
import { eventNames } from "../common/contracts/event-names.ts";
import { acceptedWatchers } from "../common/fields/accepted-events.ts";
import { channelOf, contractOf } from "../common/fields/config-nodes.ts";
import type { FieldReader, FormContext } from "../common/fields/field-reader.ts";
import { fileNameOf } from "../common/fields/file-name.ts";
import type { FlowNodes } from "../common/fields/flow-settings.ts";
import { stateFolderFor } from "../common/folder/state-folder.ts";
import { isRedelivered } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { override } from "../common/messages/message.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { NODE } from "./fields.ts";

export type VerifyEventFields = FieldReader<typeof NODE>;

/** @throws INVALID_FIELD, MISSING_VALUE, CONTRACT_MISSING */
export async function expectationsOf(
  context: FormContext<typeof NODE>,
  msg: CrecMessage,
): Promise<Expectations> {
  const { RED, fields } = context;
  const { contract, expectEventsType = "str" } = fields.settings;
  const names = await fields.of(msg).names("expectEvents");
  const events = await eventNames(names, fields.label("expectEvents"));
  const watchers = await acceptedWatchers(fields);
  const minConfidence = fields.choice("minConfidence");
  const maxAge = fields.number("maxAge");
  // An empty text field accepts any event. A message or variable must not be empty.
  if (events.length === 0 && expectEventsType !== "str") throw fields.missing("expectEvents");
  return {
    ...familyOf(fields),
    ...(watchers ? { watchers } : {}),
    ...(fields.flag("expectContract") ? { contract: contractOf(RED.nodes, contract) } : {}),
    ...(events.length > 0 ? { events } : {}),
    ...(minConfidence ? { minConfidence } : {}),
    ...(maxAge === undefined ? {} : { maxAge }),
  };
}

/** @throws INVALID_FIELD, MISSING_VALUE */
function familyOf(fields: VerifyEventFields): Pick<Expectations, "donFamily"> {
  const signedBy = fields.choice("signedBy");
  if (signedBy === "") return {};
  if (signedBy === "default") return { donFamily: "" };
  const donFamily = fields.text("expectFamily");
  if (donFamily === "") throw fields.missing("expectFamily");
  return { donFamily };
}

/** Beside the cursors of events in. Each node has a file of its own. */
export function dedupePath(RED: NodeAPI, id: string): string {
  return join(stateFolderFor(RED, "seen"), `${fileNameOf(id)}.log`);
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
  nodes: FlowNodes,
  channel: string | undefined,
  msg: CrecMessage,
  event: ChannelEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (channel) return channelOf(nodes, channel).resolve(signal);
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
  return { id: `${consumer} ${event.event_id}`, redelivered: isRedelivered(msg) };
}
