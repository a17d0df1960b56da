import * as Hash from "ox/Hash";
import { CrecError } from "../errors.ts";
import { reading, text as textKind } from "../options/index.ts";
import { type EventEnvelope, KNOWN_CHAINS } from "../protocol/index.ts";
import { type Fields, isObject, wholeDigits } from "./fields.ts";
import { readSignedEvent, signedChain } from "./signed-event.ts";

const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;
/** Of a log: chain, transaction and log index, then the confidence. */
const LOG_KEY = /^(\d+:0x[0-9a-f]{64}:\d+):\w*$/i;

/**
 * A key made from signed content only, so it is the same each time the event is delivered, under any event id. For a
 * contract event it has chain, transaction, log index and confidence; for anything else it is the hash of the signed
 * text. The chain is named by its selector where it is well known, else by its id, or by its selector where no id is
 * signed. Verify the event first, then process each key once: the event's id is not signed.
 * @throws {CrecError} `MALFORMED_EVENT` when the event carries no signed text.
 * @example
 * const again = { ...event, event_id: "under another id" };
 * dedupeKey(again) === dedupeKey(event); // → true
 */
export function dedupeKey(event: EventEnvelope): string {
  return reading("event", () => keyOf(event));
}

function keyOf(event: EventEnvelope): string {
  const { text, content } = readSignedEvent(event);
  if (text === undefined) {
    throw new CrecError(
      "MALFORMED_EVENT",
      "The event carries no signed text, so it has no key. Use its event id instead.",
    );
  }
  return logKey(content) ?? Hash.keccak256(new Uint8Array(Buffer.from(text)), { as: "Hex" });
}

function logKey(content: Fields | undefined): string | undefined {
  const log = content?.chain_event;
  if (content === undefined || !isObject(log)) return undefined;
  const chain = chainOf(content);
  const hash = String(log.tx_hash);
  const index = wholeDigits(log.log_index);
  const confidence = String(log.confidence ?? "").toLowerCase();
  if (chain === undefined || !TRANSACTION_HASH.test(hash) || index === undefined) return undefined;
  return `${chain}:${hash.toLowerCase()}:${index}:${confidence}`;
}

/**
 * A dedupe key without its confidence: the same for each level at which one log is reported, so that something is done
 * once for a log. The key of anything else stays as it is. The log index counts within the block: a log that a
 * reorganization moved to another block may have another key.
 * @example
 * const tx = `0x${"ab".repeat(32)}`;
 * eventKeyOf(`1:${tx}:7:latest`) === eventKeyOf(`1:${tx}:7:finalized`); // → true
 */
export function eventKeyOf(dedupeKey: string): string {
  const [, log] = LOG_KEY.exec(textKind(dedupeKey, "dedupeKey")) ?? [];
  return log?.toLowerCase() ?? (TRANSACTION_HASH.test(dedupeKey) ? dedupeKey.toLowerCase() : dedupeKey);
}

/** One name for a chain, whether its selector is signed, its id, or both. */
function chainOf(content: Fields): string | undefined {
  const { selector, id } = signedChain(content);
  return KNOWN_CHAINS.find((chain) => chain.chainId === id)?.chainSelector ?? id ?? selector;
}

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
