import { join } from "node:path";
import type { NodeAPI, NodeDef } from "node-red";
import type { EventConsumerOptions, StartPosition } from "../../src/index.ts";
import { oneOf } from "../lib/runtime/fields.ts";
import { fileNameOf } from "../lib/runtime/file-name.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { timeOf } from "../lib/shared/times.ts";
import { positionOf } from "./commands.ts";
import type { FilterDef } from "./filters.ts";

export type EventsInDef = NodeDef &
  FilterDef & {
    channel?: string;
    /** Names the cursor; made by the editor when the node is dropped. */
    consumer?: string;
    start?: (typeof STARTS)[number];
    /** An offset, or a time such as 2026-01-31T12:00:00Z. */
    startValue?: string;
    verify?: boolean;
    /** Where an event goes whose proof fails: the second port, or nowhere (counted). */
    unverified?: (typeof UNVERIFIED)[number];
    /** When an event is finished with: when its message was sent, when the flow has completed it, or on its ack. */
    commit?: (typeof COMMITS)[number];
    /** On send: how many messages may be in the flow at once. */
    unfinished?: string | number;
    /** Otherwise: how many events may wait until they are finished with at once. */
    inFlight?: string | number;
    /** Seconds until an event that was not acknowledged is sent again. */
    ackTimeout?: string | number;
    /** How often an event is sent before it is given up; empty never gives up. */
    attempts?: string | number;
    /** How many seconds later than others an event may become visible; empty is the library's default. */
    lateWithin?: string | number;
    /** How often Node-RED may crash while an event is in the flow before it is given up; 0 never gives up. */
    crashes?: string | number;
    /** Whether an event that leaves by the second port is done only as those of the first are. */
    ackRejected?: boolean;
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

const STARTS = ["now", "beginning", "offset", "time"] as const;
const UNVERIFIED = ["port", "drop"] as const;
const COMMITS = ["on-send", "on-complete", "on-ack"] as const;

export type Choices = ReturnType<typeof choicesOf>;

/** What was chosen, or is usual. @throws INVALID_FIELD */
export function choicesOf(def: EventsInDef) {
  return {
    start: oneOf("Start", def.start, STARTS) ?? "now",
    unverified: oneOf("If it fails", def.unverified, UNVERIFIED) ?? "port",
    commit: oneOf("Done when", def.commit, COMMITS) ?? "on-send",
    ackRejected: def.ackRejected === true,
  };
}

/** @throws INVALID_FIELD when the start is neither an offset nor a time */
export function startOf(def: EventsInDef): StartPosition {
  const { startValue = "" } = def;
  const { start } = choicesOf(def);
  if (start !== "time") return positionOf(start === "offset" ? startValue : start);
  const time = timeOf("From", startValue, Date.now() / 1000);
  if (time === undefined) throw nodeError("INVALID_FIELD", '"From" is empty. Say from what time on.');
  return { time };
}

const DEFAULT_UNFINISHED = 100;

/** How many messages may be in the flow at once. @throws INVALID_FIELD */
export function unfinishedOf({ unfinished }: EventsInDef): number {
  const limit = Number(unfinished || DEFAULT_UNFINISHED);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw nodeError("INVALID_FIELD", `"In the flow" must be a whole number from 1 on, not "${unfinished}".`);
}

const DEFAULT_MIN_SECONDS = 1;
const DEFAULT_MAX_SECONDS = 15;

export function pollIntervals(def: EventsInDef): { pollMinMs: number; pollMaxMs: number } {
  const pollMinMs = Number(def.pollMin || DEFAULT_MIN_SECONDS) * 1000;
  return { pollMinMs, pollMaxMs: Math.max(pollMinMs, Number(def.pollMax || DEFAULT_MAX_SECONDS) * 1000) };
}

const DEFAULT_ACK_SECONDS = 60;
const NEVER_GIVE_UP = Number.MAX_SAFE_INTEGER;

/** How events are committed, and which are too old to be worth it. */
export function deliveryOf(def: EventsInDef): Partial<EventConsumerOptions> {
  const { inFlight, ackTimeout, attempts, crashes = "", lateWithin = "", skipOlder } = def;
  const { commit, ackRejected } = choicesOf(def);
  return {
    commit: commit === "on-send" ? "on-send" : "on-ack",
    ...(inFlight ? { inFlight: Number(inFlight) } : {}),
    ackTimeoutMs: Number(ackTimeout || DEFAULT_ACK_SECONDS) * 1000,
    maxAttempts: attempts ? Number(attempts) : NEVER_GIVE_UP,
    // 0 is one.
    ...(String(crashes).trim() === "" ? {} : { maxCrashes: Number(crashes) }),
    ...(String(lateWithin).trim() === "" ? {} : { late: { withinMs: Number(lateWithin) * 1000 } }),
    ackRejected,
    ...(skipOlder ? { catchUp: { skipOlderThanMs: Number(skipOlder) * 1000 } } : {}),
  };
}

/** Cursors lie in the user directory, so that they are backed up and moved together with the flows. */
export function cursorFolder(RED: NodeAPI): string {
  return join(RED.settings.userDir ?? process.cwd(), "crec-cursors");
}

/** The file that the place of a consumer is kept in. @throws INVALID_FIELD */
export function cursorPath(RED: NodeAPI, consumer: string): string {
  if (!consumer.isWellFormed()) {
    const why = "The name of the consumer holds half a character, and cannot name a file";
    throw nodeError("INVALID_FIELD", `${why}. Type another one.`);
  }
  return join(cursorFolder(RED), `${fileNameOf(consumer)}.json`);
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
