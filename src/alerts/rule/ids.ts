import { createHash } from "node:crypto";
import type { LogPlace, RaisedAlert } from "../types.ts";

/** What an alert says of its window. */
export type Counted = Pick<
  RaisedAlert,
  "count" | "sum" | "decimals" | "usual" | "suppressed" | "reminder" | "changes" | "lastAt"
>;

/** An input that was counted. */
export type Mark = {
  at: number;
  /** A short hash of the input's id. */
  id?: string;
  /** How often it counts; 0 where it is only remembered, so that it is not counted again. */
  n: number;
  /** In the smallest unit. */
  amount?: string;
  /** Where its log is: the number of the block, and the index. */
  place?: string;
  /** Of its log, unless that was undone: the end of the hash of its transaction, and a short hash of the content. */
  tx?: string;
  says?: string;
  /** The other place from which the same log was reported last, and the time of that block. */
  moved?: string;
  movedAt?: number;
  /** What other readings of the log say, which did not count. */
  also?: string[];
  /** Of the alert that it raised, with its id where it may be taken back, or where it was a reminder. */
  alert?: Counted & { id?: string };
};

/** A log as a key knows it: see `logOf`. */
export type KnownLog = { id: string; place: string; tx: string; says: string };

/** Longer keys, and those with other characters, are replaced by their hash. */
const PLAIN = /^[\x20-\x7e]{0,200}$/;
const MOST_SHOWN = 200;
const MARK_ID = 16;

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
  return `${matches ? "" : "-"}${hashOf(id).slice(0, MARK_ID)}`;
}

/** Whether the input with this id matched. A hash may start with `-` too. */
export function isMatchId(markId: string): boolean {
  return markId.length === MARK_ID;
}

/**
 * A log as a key knows it. `id`: what it says, wherever it is. `again`: how often an alert of it was taken back before.
 * `tx` tells transactions apart that were at the same place, and `says` the readings of one log.
 */
export function logOf(log: LogPlace, again: number): KnownLog {
  const { chainSelector, transactionHash, contract, content, blockNumber, logIndex } = log;
  return {
    id: JSON.stringify([chainSelector, transactionHash, contract, content, again]),
    place: `${blockNumber} ${logIndex}`,
    tx: transactionHash.slice(-8),
    says: hashOf(content).slice(0, 12),
  };
}

/** The same on each copy, and each time the input is delivered. */
export function alertIdOf(ruleId: string, recordKey: string, trigger: string): string {
  return hashOf(JSON.stringify([ruleId, recordKey, trigger])).slice(0, 22);
}

/** A rule as a shared store names it: by what it compares and counts. */
export function ruleNameOf(fingerprint: string): string {
  return hashOf(fingerprint).slice(0, 10);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
