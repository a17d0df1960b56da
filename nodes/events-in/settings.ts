import { join } from "node:path";
import type { NodeAPI, NodeDef } from "node-red";
import type { Confidence, EventConsumerOptions, EventFilter, StartPosition } from "../../src/index.ts";
import { positionOf } from "./commands.ts";

export type EventsInDef = NodeDef & {
  channel?: string;
  /** Names the cursor; made by the editor when the node is dropped. */
  consumer?: string;
  start?: "now" | "beginning" | "offset" | "time";
  /** An offset, or a time such as 2026-01-31T12:00:00Z. */
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
  /** Where an event goes whose proof fails: the second port, nowhere (counted), or on, marked. */
  unverified?: "port" | "drop" | "pass";
  /** When an event counts as worked off: when its message was sent, or when it is acknowledged. */
  commit?: "on-send" | "on-ack";
  /** How many may wait for their acknowledgement at once. */
  inFlight?: string | number;
  /** Seconds until an event that was not acknowledged is sent again. */
  ackTimeout?: string | number;
  /** How often an event is sent before it is rejected. */
  attempts?: string | number;
  /** Events older than this many seconds are passed over; empty delivers all. */
  skipOlder?: string | number;
  /** Empty: a file in the user directory. Else the name of a context store. */
  store?: string;
  /** Whether it takes commands by message. */
  inputs?: 0 | 1;
  /** Seconds between polls: when there is traffic, and at most when there is none. */
  pollMin?: string | number;
  pollMax?: string | number;
};

/** @throws INVALID_FIELD when the start is neither an offset nor a time */
export function startOf({ start = "now", startValue = "" }: EventsInDef): StartPosition {
  return positionOf(start === "offset" || start === "time" ? startValue : start);
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

/** How events are committed, and which are too old to be worth it. */
export function deliveryOf(def: EventsInDef): Partial<EventConsumerOptions> {
  const { commit = "on-send", inFlight, ackTimeout, attempts, skipOlder } = def;
  return {
    commit,
    ...(inFlight ? { inFlight: Number(inFlight) } : {}),
    ...(ackTimeout ? { ackTimeoutMs: Number(ackTimeout) * 1000 } : {}),
    ...(attempts ? { maxAttempts: Number(attempts) } : {}),
    ...(skipOlder ? { catchUp: { skipOlderThanMs: Number(skipOlder) * 1000 } } : {}),
  };
}

/** Cursors lie in the user directory, so that they are backed up and moved together with the flows. */
export function cursorPath(RED: NodeAPI, consumer: string): string {
  const folder = RED.settings.userDir ?? process.cwd();
  return join(folder, "crec-cursors", `${encodeURIComponent(consumer)}.json`);
}

/** What two nodes must not share: the file, or the key in a context store. */
export function placeOf(RED: NodeAPI, def: EventsInDef, consumer: string): string {
  return def.store ? `${def.store}:${consumer}` : cursorPath(RED, consumer);
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
