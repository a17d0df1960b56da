import type { DatabaseSync } from "node:sqlite";
import { ReadAhead, type Step } from "../lists.ts";
import { loaded, type Places, placesOf, unite } from "./places.ts";
import type { EventTail, SearchedColumn } from "./tail.ts";

/**
 * The events that meet one filter, block by block in one direction. `seek` returns a block that may have some: the given
 * one, or a later one; infinity after the last one. `places` returns those of the block that `seek` returned; undefined if
 * all events of the block meet the filter. Do not change them.
 */
export type BlockCursor = { seek(block: number): number; places(block: number): Places | undefined };

/** Where the blocks of a search are: a channel, and its last block as it was when the search began. */
export type Searched = { database: DatabaseSync; channelId: string; tail: EventTail; step: Step };

/** The events with one value of a column. */
export class ValueCursor implements BlockCursor {
  readonly #rows: ReadAhead<StoredBlock>;
  readonly #lastBlock: number;
  readonly #inLast: readonly number[];
  readonly #step: Step;

  constructor({ database, channelId, tail, step }: Searched, column: SearchedColumn, value: string) {
    this.#rows = blockRows(storedBlocks(database, [channelId, column, value], step), step);
    this.#lastBlock = tail.block;
    this.#inLast = tail.placesOf(column, value);
    this.#step = step;
  }

  seek(block: number): number {
    const last = this.#inLast.length > 0 ? this.#lastBlock : -1;
    if (this.#step === -1 && block >= last && last !== -1) return last;
    // A block that is stored meanwhile is still the last one here.
    const row = this.#rows.from(this.#step === 1 ? block : Math.min(block, this.#lastBlock - 1));
    if (row !== undefined && row.block < this.#lastBlock) return row.block;
    return this.#step === 1 && block <= last ? last : this.#step * Number.POSITIVE_INFINITY;
  }

  places(block: number): Places {
    if (block === this.#lastBlock) return placesOf(this.#inLast);
    const row = this.#rows.from(block);
    return row?.block === block ? row.places() : placesOf([]);
  }
}

/** The events of one of several cursors. */
export class AnyCursor implements BlockCursor {
  readonly #cursors: readonly ValueCursor[];
  readonly #step: Step;

  constructor(cursors: readonly ValueCursor[], step: Step) {
    this.#cursors = cursors;
    this.#step = step;
  }

  seek(block: number): number {
    const found = this.#cursors.map((cursor) => cursor.seek(block));
    return this.#step === 1 ? Math.min(...found) : Math.max(...found);
  }

  places(block: number): Places {
    const all = placesOf([]);
    for (const cursor of this.#cursors) {
      if (cursor.seek(block) === block) unite(all, cursor.places(block));
    }
    return all;
  }
}

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
  readonly #rows: ReadAhead<Times>;

  constructor(searched: Searched, range: TimeRange) {
    this.#searched = searched;
    this.#range = range;
    const select = searched.database.prepare(
      `SELECT block, oldest, newest FROM event_block_times
       WHERE channel_id = ? AND block >= ? ORDER BY block LIMIT ?`,
    );
    this.#rows = blockRows((block, count) => select.all(searched.channelId, block, count) as Times[], 1);
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

/** Rows of blocks in one direction. */
function blockRows<T extends { block: number }>(
  read: (block: number, count: number) => T[],
  step: Step,
): ReadAhead<T> {
  return new ReadAhead(read, { placeOf: ({ block }) => block, step, chunk: { least: 4, most: 256 } });
}

type StoredBlock = { block: number; places: () => Places };

/** Reads the blocks of a value: its channel, column and text. */
function storedBlocks(
  database: DatabaseSync,
  value: [string, string, string],
  step: Step,
): (block: number, count: number) => StoredBlock[] {
  const id = database
    .prepare("SELECT value_id FROM event_values WHERE channel_id = ? AND kind = ? AND value = ?")
    .get(...value)?.value_id;
  if (id === undefined) return () => [];
  // As one blob: a blob for each row would take several times as long.
  const select = database.prepare(
    `SELECT json_group_array(block) AS blocks, json_group_array(length(places)) AS sizes,
       CAST(group_concat(places, '') AS BLOB) AS bytes
     FROM (SELECT block, places FROM event_blocks WHERE value_id = ?
       AND block ${step === 1 ? ">=" : "<="} ? ORDER BY block ${step === 1 ? "" : "DESC"} LIMIT ?)`,
  );
  return (from, count) => {
    const { blocks, sizes, bytes } = select.get(id, from, count) ?? {};
    if (!(bytes instanceof Uint8Array)) return [];
    const { buffer } = bytes as Uint8Array<ArrayBuffer>;
    const lengths: number[] = JSON.parse(String(sizes));
    let end = bytes.byteOffset;
    return (JSON.parse(String(blocks)) as number[]).map((block, index) => {
      const length = lengths[index] ?? 0;
      end += length;
      const start = end - length;
      return { block, places: () => loaded(buffer, start, length) };
    });
  };
}
