import { join } from "node:path";
import type { NodeAPI, NodeDef } from "node-red";
import type { Confidence, EventFilter, StartPosition } from "../../src/index.ts";
import { nodeError } from "../lib/errors.ts";

export type EventsInDef = NodeDef & {
  channel?: string;
  /** Names the cursor; made by the editor when the node is dropped. */
  consumer?: string;
  start?: "now" | "beginning" | "offset" | "time";
  /** An offset, or a time in any form `Date.parse` reads. */
  startValue?: string;
  /** Event types wanted; all when empty. */
  types?: string[];
  /** A watcher's id. */
  watcher?: string;
  /** A contract event's name or signature. */
  contractEvent?: string;
  address?: string;
  confidence?: "" | Confidence;
  verify?: boolean;
  /** Seconds between polls: when there is traffic, and at most when there is none. */
  pollMin?: string | number;
  pollMax?: string | number;
};

/** @throws INVALID_FIELD when the start is neither an offset nor a time */
export function startOf({ start, startValue = "" }: EventsInDef): StartPosition {
  if (start === "offset") {
    const offset = Number(startValue);
    if (startValue.trim() !== "" && Number.isSafeInteger(offset) && offset >= 0) return { offset };
    throw nodeError("INVALID_FIELD", `"Start" needs an offset, a whole number, but it is "${startValue}".`);
  }
  if (start === "time") {
    const time = Date.parse(startValue);
    if (!Number.isNaN(time)) return { time: Math.floor(time / 1000) };
    throw nodeError(
      "INVALID_FIELD",
      `"Start" needs a time such as 2026-01-31T12:00:00Z, but it is "${startValue}".`,
    );
  }
  return start ?? "now";
}

/** What of the channel is wanted; an empty field does not restrict. */
export function filterOf(def: EventsInDef): EventFilter {
  const { types = [], watcher, contractEvent, address, confidence } = def;
  return {
    types,
    ...(watcher ? { watcherIds: [watcher] } : {}),
    ...(contractEvent ? { contractEvents: [contractEvent] } : {}),
    ...(address ? { addresses: [address] } : {}),
    ...(confidence ? { minConfidence: confidence } : {}),
  };
}

const DEFAULT_MIN_SECONDS = 1;
const DEFAULT_MAX_SECONDS = 15;

export function pollIntervals(def: EventsInDef): { pollMinMs: number; pollMaxMs: number } {
  const pollMinMs = Number(def.pollMin || DEFAULT_MIN_SECONDS) * 1000;
  return { pollMinMs, pollMaxMs: Math.max(pollMinMs, Number(def.pollMax || DEFAULT_MAX_SECONDS) * 1000) };
}

/** Cursors lie in the user directory, so that they are backed up and moved together with the flows. */
export function cursorPath(RED: NodeAPI, consumer: string): string {
  const folder = RED.settings.userDir ?? process.cwd();
  return join(folder, "crec-cursors", `${encodeURIComponent(consumer)}.json`);
}

/**
 * The service as part of a cursor's identity. One on this machine may come back on another port and is still
 * the same: its channels' ids tell.
 */
export function serviceIdentity(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) url.port = "";
  return url.href.replace(/\/+$/, "");
}
