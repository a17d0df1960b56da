import { createHash } from "node:crypto";
import type { LogPlace } from "../types.ts";

/** Longer keys, and those with other characters, are replaced by their hash. */
const PLAIN = /^[\x20-\x7e]{0,200}$/;
const MOST_SHOWN = 200;

/** The key of a record: short, never empty, and different for each key of an input. */
export function recordKeyOf(key: string): string {
  return PLAIN.test(key) ? `=${key}` : `#${hashOf(key)}`;
}

/** Whether a record in a store is that of a key. */
export function isRecordKey(recordKey: string): boolean {
  return recordKey.startsWith("=") || recordKey.startsWith("#");
}

/** The key as an alert names it. */
export function shownKey(key: string): string {
  return key.length > MOST_SHOWN ? `${key.slice(0, MOST_SHOWN)}…` : key;
}

/** Short, so that many can be remembered. Two of a thousand million ids have the same with odds of 1 to 10^11. */
export function markIdOf(id: string, matches = true): string {
  return `${matches ? "" : "-"}${hashOf(id).slice(0, 16)}`;
}

/** Names what a log says, wherever it is. `again`: how often an alert of it was taken back before. */
export function logIdOf({ chainSelector, transactionHash, contract, content }: LogPlace, again = 0): string {
  return JSON.stringify([chainSelector, transactionHash, contract, content, again]);
}

/** Where a log is in the chain. */
export function placeOf({ blockNumber, logIndex }: LogPlace): string {
  return `${blockNumber} ${logIndex}`;
}

/** The same on each copy, and each time the input is delivered. */
export function alertIdOf(ruleId: string, recordKey: string, trigger: string): string {
  return hashOf(JSON.stringify([ruleId, recordKey, trigger])).slice(0, 22);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
