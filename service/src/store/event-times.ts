import type { BlockCursor, Searched } from "./block-cursors.ts";
import { type Places, placesOf } from "./block-places.ts";
import { BlockRows } from "./block-rows.ts";

/** Unix seconds, both ends included. */
export type TimeRange = { from: number; to: number };

/** The oldest and the newest time of a block. */
type Times = { block: number; oldest: number; newest: number };

/**
 * The events in a time range, upwards. A clock may have been set back, so times do not increase with offsets. Each block
 * has its oldest and newest time: the times of all its events are read only if it is partly in the range.
 */
export class TimeCursor implements BlockCursor {
  readonly #searched: Searched;
  readonly #range: TimeRange;
  readonly #rows: BlockRows<Times>;

  constructor(searched: Searched, range: TimeRange) {
    this.#searched = searched;
    this.#range = range;
    const select = searched.database.prepare(
      `SELECT block, oldest, newest FROM event_block_times
       WHERE channel_id = ? AND block >= ? ORDER BY block LIMIT ?`,
    );
    this.#rows = new BlockRows((block, count) => select.all(searched.channelId, block, count) as Times[], 1);
  }

  seek(block: number): number {
    const { tail } = this.#searched;
    for (let at = block; at < tail.block; at += 1) {
      const row = this.#rows.from(at);
      if (row === undefined || this.#isPartOf(row)) return at;
    }
    return block > tail.block ? Number.POSITIVE_INFINITY : tail.block;
  }

  places(block: number): Places | undefined {
    const { database, channelId, tail } = this.#searched;
    if (block === tail.block) return this.#within(tail.times);
    const row = this.#rows.from(block);
    const { from, to } = this.#range;
    if (row !== undefined && row.oldest >= from && row.newest <= to) return undefined;
    const blob = database
      .prepare("SELECT seconds FROM event_seconds WHERE channel_id = ? AND block = ?")
      .get(channelId, block)?.seconds;
    if (!(blob instanceof Uint8Array)) throw new Error(`The times of block ${block} are not stored.`);
    return this.#within(new Float64Array(blob.buffer as ArrayBuffer, blob.byteOffset, blob.byteLength / 8));
  }

  #isPartOf({ oldest, newest }: Times): boolean {
    return newest >= this.#range.from && oldest <= this.#range.to;
  }

  #within(times: Float64Array): Places {
    const { from, to } = this.#range;
    const found: number[] = [];
    for (let place = 0; place < times.length; place += 1) {
      const time = times[place] ?? Number.NaN;
      if (time >= from && time <= to) found.push(place);
    }
    return placesOf(found);
  }
}
