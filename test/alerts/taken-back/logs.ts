import type { AlertEvidence, LogPlace, RaisedAlert } from "../../../src/alerts/index.ts";
import { unlisted } from "../../../src/index.ts";

export const CHAIN = "16015286601757825753";
export const TOKEN = `0x${"aa".repeat(20)}`;

/** The hash of a transaction that is told by a number. */
export function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

type Place = Omit<Partial<LogPlace>, "confidence"> & { tx?: number; confidence?: string };

/** A log of transaction 1 in block 100 at `latest`, with what is different. */
export function logAt({ tx = 1, confidence = "latest", ...more }: Place = {}): LogPlace {
  return {
    chainSelector: CHAIN,
    transactionHash: hashOf(tx),
    blockNumber: "100",
    logIndex: "3",
    contract: TOKEN,
    content: "Transfer 1",
    source: "transfers",
    confidence: unlisted(confidence),
    ...more,
  };
}

export function seen(
  place: Place,
  more: { at?: number; redelivered?: boolean; isHighest?: boolean } = {},
): AlertEvidence {
  return { kind: "log", log: logAt(place), ...more };
}

export function alertOn(log: LogPlace, id = "a"): RaisedAlert {
  return { id, key: "", at: 0, count: 1, suppressed: 0, log };
}
