import * as Hash from "ox/Hash";
import { CrecError } from "../errors.ts";
import { type EventEnvelope, KNOWN_CHAINS } from "../protocol/index.ts";
import { wholeDigits } from "./integer.ts";
import { signedChain } from "./signed-chain.ts";
import { type Fields, isObject, parseSignedText, signedTextOf } from "./signed-text.ts";

const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;

/**
 * A key of what the oracles signed, the same however often and under whatever id it is delivered:
 * chain, transaction, log index and confidence of a contract event, the hash of the signed text otherwise.
 * The chain goes by its selector where it is well known, else by its id, or by its selector where no id is signed.
 * Nothing signed names the event's id, so act once by this key, and only after verification.
 * @throws {CrecError} `MALFORMED_EVENT` when the event carries nothing signed.
 * @example
 * const again = { ...event, event_id: "under another id" };
 * dedupeKey(again) === dedupeKey(event); // → true
 */
export function dedupeKey(event: EventEnvelope): string {
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
  if (signed === undefined || !isObject(log)) return undefined;
  const chain = chainOf(signed);
  const hash = String(log.tx_hash);
  const index = wholeDigits(log.log_index);
  const confidence = String(log.confidence ?? "").toLowerCase();
  if (chain === undefined || !TRANSACTION_HASH.test(hash) || index === undefined) return undefined;
  return `${chain}:${hash.toLowerCase()}:${index}:${confidence}`;
}

/** One name for a chain, whether its selector is signed, its id, or both. */
function chainOf(signed: Fields): string | undefined {
  const { selector, id } = signedChain(signed);
  return KNOWN_CHAINS.find((chain) => chain.chainId === id)?.chainSelector ?? id ?? selector;
}
