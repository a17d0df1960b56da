import type { ChannelEvent } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";
import { timeOf } from "./event-time.ts";

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
