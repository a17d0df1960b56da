import { type ChannelEvent, decodeEvent } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";

/** Above this, seconds since 1970 are milliseconds. */
const MAX_SECONDS = 1e11;
/** The latest time that a clock can show, in milliseconds. */
const MAX_MS = 8.64e15;

/**
 * When an event happened, in Unix milliseconds: when the service wrote it, else the time of its block, else the time
 * that the service states in it. Undefined without any of them. It may be wrong, and need not increase from one
 * event to the next.
 */
export function timeOf(event: ChannelEvent): number | undefined {
  return asMs(event.created_at) ?? blockTimeOf(event) ?? asMs(event.payload.timestamp);
}

function blockTimeOf(event: ChannelEvent): number | undefined {
  try {
    const decoded = decodeEvent(event);
    return "blockTime" in decoded ? asMs(decoded.blockTime) : undefined;
  } catch {
    // What cannot be decoded is for the nodes of the flow to report.
    return undefined;
  }
}

function asMs(value: unknown): number | undefined {
  const time = typeof value === "string" ? Number(value) : value;
  if (typeof time !== "number" || !Number.isFinite(time) || time <= 0) return undefined;
  const ms = Math.round(time < MAX_SECONDS ? time * 1_000 : time);
  return ms <= MAX_MS ? ms : undefined;
}

/**
 * Gives the events of a channel their times: an event without one has that of the event before, and no event is before
 * an earlier one.
 */
export class Timed {
  readonly #channelId: string;
  /** Of the event before, as it is stated. */
  #stated: number;
  #at = Number.NEGATIVE_INFINITY;

  /** @param start of events before the first one that has a time, in Unix milliseconds */
  constructor(channelId: string, start: number) {
    this.#channelId = channelId;
    this.#stated = start;
  }

  /** The time that an event states, else that of the event before. Call it for each event, in order. */
  stated(event: ChannelEvent): number {
    this.#stated = timeOf(event) ?? this.#stated;
    return this.#stated;
  }

  /** @param stated the time of the event */
  past(event: ChannelEvent, stated: number): PastEvent {
    this.#at = Math.max(this.#at, stated);
    return { channelId: this.#channelId, event, at: this.#at };
  }
}
