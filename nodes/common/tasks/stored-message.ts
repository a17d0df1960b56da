import type { CrecMessage } from "../messages/message.ts";
import { isTest, TEST_MARK } from "../messages/message.ts";
import { isObject } from "../shared/collections.ts";

/** A message as it is kept in a file. */
type StoredMessage = {
  msg: CrecMessage;
  /** Its properties that are not kept: too large, not JSON, or secret. */
  cut: string[];
};

/** Of the message as JSON. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 100;
/** Of a request that waits for its answer: no other process can give it. */
const OF_THIS_PROCESS = ["req", "res"];
/** Of whole words: `paidTokens` and `tokenId` are not secret. */
const SECRET =
  /authorization|cookie|passw|passphrase|secret|credential|mnemonic|(^|-)((access|refresh|id|auth|bearer|session|api)-?token|(api|private)-?keys?)(-|$)/;
/** A header has no amounts of tokens. */
const SECRET_HEADER = /token/;

/** The message without what a file cannot or must not hold. */
export function storedMessage(msg: CrecMessage): StoredMessage {
  const kept: Record<string, unknown> = {};
  const cut: string[] = [];
  for (const [name, value] of Object.entries(msg)) {
    if (OF_THIS_PROCESS.includes(name) || value === undefined) continue;
    if (isSecret(name) || !isJson(value)) cut.push(name);
    else if (name === "headers" && isObject(value)) {
      const secrets = Object.keys(value).filter((one) => isSecret(one) || SECRET_HEADER.test(inWords(one)));
      kept[name] = Object.fromEntries(Object.entries(value).filter(([one]) => !secrets.includes(one)));
      cut.push(...secrets.map((one) => `headers.${one}`));
    } else kept[name] = value;
  }
  for (const { name } of largestFirst(kept)) {
    if (bytesOf(kept) <= MOST_BYTES) break;
    delete kept[name];
    cut.push(name);
  }
  // Without its mark, nodes that act would take it for a real one.
  if (isTest(msg) && !("crec" in kept)) kept.crec = TEST_MARK;
  return { msg: kept as CrecMessage, cut };
}

/** What our nodes need stays until the end. */
function largestFirst(kept: Readonly<Record<string, unknown>>): Array<{ name: string; bytes: number }> {
  return Object.entries(kept)
    .filter(([name]) => name !== "_msgid")
    .map(([name, value]) => ({ name, bytes: bytesOf(value), isOurs: name === "crec" }))
    .sort((one, other) => Number(one.isOurs) - Number(other.isOurs) || other.bytes - one.bytes);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function isSecret(name: string): boolean {
  return SECRET.test(inWords(name));
}

/** `accessToken`, `ACCESS_TOKEN` and `access token` are all `access-token`. */
function inWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^a-zA-Z0-9]+/g, "-")
    .toLowerCase();
}

/** Whether it is the same after it was written as JSON. */
function isJson(value: unknown, depth = 0): boolean {
  if (value === null || ["string", "boolean"].includes(typeof value)) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth === DEEPEST) return false;
  if (Array.isArray(value)) return value.every((one) => isJson(one, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && Object.values(value).every((one) => one === undefined || isJson(one, depth + 1));
}
