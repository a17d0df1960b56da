import { parentPort, workerData } from "node:worker_threads";
import { checkedReport, type Expected } from "./checked-report.ts";

/** What the worker is given: the bytes of the file, and what the report must agree with. */
export type ReportToCheck = { bytes: Uint8Array; expected: Expected };

/** Values and fields of a whole report: each takes memory. Without this, a small file could need all of it. */
const MOST_PARTS = 4_000_000;

/** The program of the worker: gives the report as a text, or undefined. A flow may have written what it reads. */
export function checkReport(): void {
  const { bytes, expected } = workerData as ReportToCheck;
  const report =
    partsOf(bytes) > MOST_PARTS ? undefined : checkedReport(new TextDecoder().decode(bytes), expected);
  parentPort?.postMessage(report === undefined ? undefined : JSON.stringify(report));
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Before each value of a list or an object. */
const BEFORE_PART = new Set([..."[{,"].map((character) => character.charCodeAt(0)));

/** @returns how many values JSON has, about */
function partsOf(json: Uint8Array): number {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at += 1;
    else if (!isText && BEFORE_PART.has(byte)) parts += 1;
  }
  return parts;
}
