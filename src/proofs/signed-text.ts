import { parseJson } from "../json.ts";

/**
 * The largest input that is looked at, so that no event keeps a program busy for long; anything beyond is
 * malformed. What the service sends stays far below: its texts have some thousand characters, its reports 141
 * bytes, and an oracle network has at most 31 members.
 * @example
 * String(event.payload.verifiable_event).length < PROOF_LIMITS.signedText; // → true
 */
export const PROOF_LIMITS = {
  /** Characters of base64: one megabyte of JSON. */
  signedText: 1_400_000,
  /** Objects and lists inside one another. */
  jsonDepth: 64,
  /** Items beside an event, of whatever kind. */
  proofs: 64,
  signatures: 64,
  /** Characters of a report, a context or a signature. */
  hex: 65_536,
} as const;

/** A JSON object of unknown content. */
export type Fields = Record<string, unknown>;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The type of an event: older ones have it at the top. */
export function typeOf(event: unknown): unknown {
  if (!isObject(event)) return undefined;
  return (isObject(event.headers) ? event.headers.type : undefined) ?? event.type;
}

/**
 * What the oracles signed of an event, as base64. Its place hangs on the type alone: what stands in another place
 * is not looked at by the verifier, so nobody may look at it.
 */
export function signedTextOf(event: unknown): string | undefined {
  const payload = isObject(event) && isObject(event.payload) ? event.payload : {};
  switch (typeOf(event)) {
    case "watcher.event":
    case "operation.status":
      return asText(payload.verifiable_event);
    case "query.status":
      return asText(payload.verifiable_result);
    default:
      return undefined;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The JSON object inside base64 text with padding, unrounded; undefined when it is not that. */
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

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an optional field says something: some write null for what is missing. */
export function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}
