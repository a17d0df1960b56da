import * as Hash from "ox/Hash";
import { reading } from "../options/index.ts";
import type { EventEnvelope } from "../protocol/index.ts";
import { isObject } from "./fields.ts";
import { readSignedEvent } from "./signed-event.ts";

const HEX = /^0x[0-9a-f]*$/i;

/**
 * A digest of the name and the parameters that were signed of a contract event, with their names and values. The order of
 * names does not matter, nor the letter case of hexadecimal values. Two events with the same dedupe key and another
 * digest contradict each other: two watchers read one log with different ABIs.
 *
 * @returns undefined for an event that is not of a contract, or has no signed parameters
 * @example
 * const again = { ...event, event_id: "under another id" };
 * paramsDigest(again) === paramsDigest(event); // → true
 */
export function paramsDigest(event: EventEnvelope): string | undefined {
  return reading("event", () => digestOf(event));
}

function digestOf(event: EventEnvelope): string | undefined {
  const { content } = readSignedEvent(event);
  const log = content?.chain_event;
  if (content === undefined || !isObject(log) || !isObject(log.params)) return undefined;
  const text = JSON.stringify([String(content.name), canonical(log.params)]);
  return Hash.keccak256(new Uint8Array(Buffer.from(text)), { as: "Hex" });
}

/** Numbers as text: beyond 2^53 they are already. */
function canonical(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return HEX.test(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const byName = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  // A list: names such as "1" would be moved in an object.
  return { named: byName.map(([name, inner]) => [name, canonical(inner)]) };
}
