import * as Hash from "ox/Hash";
import { CrecError } from "../errors.ts";
import type { ChannelEvent } from "../protocol/index.ts";
import { isObject, parseSignedText, signedTextOf } from "./signed-text.ts";

const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/;
const INTEGER = /^\d+$/;

/**
 * A key of what the oracles signed, the same however often and under whatever id it is delivered:
 * chain, transaction, log index and confidence of a contract event, the hash of the signed text otherwise.
 * Nothing signed names the event's id, so act once by this key, and only after verification.
 * @throws {CrecError} `MALFORMED_EVENT` when the event carries nothing signed.
 * @example
 * const again = { ...event, event_id: "under another id" };
 * dedupeKey(again) === dedupeKey(event); // → true
 */
export function dedupeKey(event: ChannelEvent): string {
  const signedText = signedTextOf(event);
  if (signedText === undefined) {
    throw new CrecError(
      "MALFORMED_EVENT",
      "The event carries nothing signed, so it has no key; use its event id instead.",
    );
  }
  return logKey(signedText) ?? Hash.keccak256(new Uint8Array(Buffer.from(signedText)), { as: "Hex" });
}

function logKey(signedText: string): string | undefined {
  const signed = parseSignedText(signedText);
  const log = signed?.chain_event;
  if (!isObject(log)) return undefined;
  const chain = String(signed?.chain_selector ?? log.chain_id);
  const hash = String(log.tx_hash).toLowerCase();
  const index = String(log.log_index);
  const confidence = String(log.confidence ?? "").toLowerCase();
  if (!INTEGER.test(chain) || !TRANSACTION_HASH.test(hash) || !INTEGER.test(index)) return undefined;
  return `${chain}:${hash}:${index}:${confidence}`;
}
