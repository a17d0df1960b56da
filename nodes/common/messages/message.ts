import type { NodeMessage } from "node-red";
import { canonicalId } from "../../../src/protocol/ids.ts";
import { isObject } from "../shared/collections.ts";
import { nodeError } from "../shared/errors.ts";

/** A message as it travels through our nodes. `crec` carries ids and what was found out about them. */
export type CrecMessage = NodeMessage & { crec?: Record<string, unknown>; [key: string]: unknown };

/**
 * A message as a node works with it, whatever a flow wrote into it: `crec` is an object of its own, with values only,
 * or absent. It is the incoming message itself, so that a Catch node gets what the node notes in it, except for a
 * frozen one.
 */
export function takenMessage(incoming: object): CrecMessage {
  const crec = crecOf(incoming);
  const property = { value: crec, writable: true, enumerable: true, configurable: true };
  const isTaken =
    Object.isExtensible(incoming) &&
    (crec ? Reflect.defineProperty(incoming, "crec", property) : Reflect.deleteProperty(incoming, "crec"));
  if (isTaken) return incoming as CrecMessage;
  const { crec: _frozen, ...rest } = valuesOf(incoming);
  return (crec ? { ...rest, crec } : rest) as CrecMessage;
}

/** What a message carries for our nodes; undefined where it is no plain object: a text would be spread into letters. */
export function crecOf(msg: object): Record<string, unknown> | undefined {
  try {
    const crec: unknown = Reflect.get(msg, "crec");
    // Function nodes make objects of another realm.
    return Object.prototype.toString.call(crec) === "[object Object]" ? valuesOf(crec as object) : undefined;
  } catch {
    return undefined;
  }
}

/** A property that throws stays, as undefined: an input that cannot be read must not become that of the form. */
function valuesOf(from: object): Record<string, unknown> {
  const read = (key: PropertyKey): unknown => {
    try {
      return Reflect.get(from, key);
    } catch {
      return undefined;
    }
  };
  return Object.fromEntries(Reflect.ownKeys(from).map((key) => [key, read(key)]));
}

/** What `msg.crec` holds in a message of *Send the last event*. All nodes keep it. */
export const TEST_MARK = { test: true } as const;

/** Whether a person sent this message to try a flow: its event was, or will be, sent for real as well. */
export function isTest(msg: CrecMessage): boolean {
  return msg.crec?.test === TEST_MARK.test;
}

/** The field *allow test messages* of a node. */
type Permission = { flag(name: "allowTest"): boolean; label(name: "allowTest"): string };

/**
 * To be called first by a node that acts, so that trying a flow does not act for real.
 * @throws TEST_MESSAGE
 */
export function refuseTest(msg: CrecMessage, fields: Permission): void {
  if (!isTest(msg) || fields.flag("allowTest")) return;
  throw nodeError(
    "TEST_MESSAGE",
    `This is a test message, and this node would act for real, so it did nothing. To let it act, tick "${fields.label("allowTest")}" in its form and deploy.`,
  );
}

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
