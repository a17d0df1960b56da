import type { DatabaseSync } from "node:sqlite";
import type { Cursor } from "./cursors.ts";
import { EVENTS_IN_BLOCK } from "./schema.ts";

/** Unix seconds, both ends included. */
type TimeRange = { from: number; to: number };

/** Blocks checked by one statement. */
const BLOCKS_AT_ONCE = 4096;

/**
 * Offsets of the events in a time range. A clock may have been set back, so times do not increase with offsets. Each block
 * of events has its oldest and newest time, and only blocks that are partly in the range are read.
 */
export class TimeCursor implements Cursor {
  readonly #database: DatabaseSync;
  readonly #channelId: string;
  readonly #range: TimeRange;
  /** The matches up to the end of one block: all places, or these. */
  #known: { end: number; places: number[] | "all" } = { end: -1, places: [] };

  constructor(database: DatabaseSync, channelId: string, range: TimeRange) {
    this.#database = database;
    this.#channelId = channelId;
    this.#range = range;
  }

  seek(place: number): number {
    if (place === Number.POSITIVE_INFINITY) return place;
    if (place > this.#known.end) {
      const block = Math.floor(place / EVENTS_IN_BLOCK);
      const found = this.#nextBlock(block);
      if (found !== block) return found * EVENTS_IN_BLOCK;
    }
    const { end, places } = this.#known;
    if (places === "all") return place;
    return places.find((match) => match >= place) ?? end + 1;
  }

  /** Finds the first block from here on with a possible match, and loads its matches. */
  #nextBlock(from: number): number {
    const { from: oldest, to: newest } = this.#range;
    const last = from + BLOCKS_AT_ONCE - 1;
    const row = this.#database
      .prepare(
        `SELECT block, oldest, newest FROM event_times
         WHERE channel_id = ? AND block BETWEEN ? AND ? AND newest >= ? AND oldest <= ? ORDER BY block LIMIT 1`,
      )
      .get(this.#channelId, from, last, oldest, newest);
    if (row === undefined) return last + 1;
    const block = Number(row.block);
    const start = block * EVENTS_IN_BLOCK;
    const end = start + EVENTS_IN_BLOCK - 1;
    const isWithin = Number(row.oldest) >= oldest && Number(row.newest) <= newest;
    this.#known = { end, places: isWithin ? "all" : this.#placesIn(start, end) };
    return block;
  }

  #placesIn(start: number, end: number): number[] {
    const { from, to } = this.#range;
    return this.#database
      .prepare(
        `SELECT offset FROM events
         WHERE channel_id = ? AND offset BETWEEN ? AND ? AND created_at BETWEEN ? AND ? ORDER BY offset`,
      )
      .all(this.#channelId, start, end, from, to)
      .map(({ offset }) => Number(offset));
  }
}
