import type { DatabaseSync } from "node:sqlite";
import { type Places, placesOf, unite } from "./block-places.ts";
import { BlockRows, type StoredBlock, storedBlocks } from "./block-rows.ts";
import type { Step } from "./cursors.ts";
import type { EventTail, SearchedColumn } from "./event-tail.ts";

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
  readonly #rows: BlockRows<StoredBlock>;
  readonly #lastBlock: number;
  readonly #inLast: readonly number[];
  readonly #step: Step;

  constructor({ database, channelId, tail, step }: Searched, column: SearchedColumn, value: string) {
    this.#rows = new BlockRows(storedBlocks(database, [channelId, column, value], step), step);
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
