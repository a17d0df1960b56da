import { parseJson } from "../json.ts";
import { type Fields, isObject } from "./fields.ts";

/**
 * The largest input that is read, so that no event keeps a program busy for long. Anything beyond is malformed. What
 * the service sends is far below: its texts have some thousand characters, its reports 141 bytes, and an oracle
 * network has at most 31 members.
 * @example
 * String(event.payload.verifiable_event).length < PROOF_LIMITS.signedText; // → true
 */
export const PROOF_LIMITS = {
  /** Characters of base64: one megabyte of JSON. */
  signedText: 1_400_000,
  /** Nesting depth of objects and lists. */
  jsonDepth: 64,
  /** Items in the event's list of proofs, of any kind. */
  proofs: 64,
  /** Signatures of one proof. */
  signatures: 64,
  /** Characters of a report, a context or a signature. */
  hex: 65_536,
} as const;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON object in padded base64 text, with integers unrounded; undefined when the text holds anything else. */
export function parseSignedText(signedText: string): Fields | undefined {
  if (signedText.length > PROOF_LIMITS.signedText) return undefined;
  if (signedText.length % 4 !== 0 || !BASE64.test(signedText)) return undefined;
  try {
    const value = parseJson(utf8.decode(Buffer.from(signedText, "base64")));
    return isObject(value) && !isDeeperThan(value, PROOF_LIMITS.jsonDepth) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
