import type { DatabaseSync } from "node:sqlite";
import { loaded, type Places } from "./block-places.ts";
import type { Step } from "./cursors.ts";

/** Rows read by one statement: more where the walk needs all of them, fewer where it skips. */
const CHUNK = { least: 4, most: 256 };

/** Rows of blocks in one direction, read in chunks. `read` returns so many rows from a block on. */
export class BlockRows<T extends { block: number }> {
  readonly #read: (block: number, count: number) => T[];
  readonly #step: Step;
  #chunk: T[] = [];
  #at = 0;
  #used = 0;
  #returned: T | undefined;
  #size = CHUNK.least;
  #isLast = false;

  constructor(read: (block: number, count: number) => T[], step: Step) {
    this.#read = read;
    this.#step = step;
  }

  /** The row of this block, or the next one; undefined after the last one. Each call continues from the last answer. */
  from(block: number): T | undefined {
    for (;;) {
      for (; this.#at < this.#chunk.length; this.#at += 1) {
        const row = this.#chunk[this.#at];
        if (row === undefined || (row.block - block) * this.#step < 0) continue;
        if (row !== this.#returned) this.#used += 1;
        this.#returned = row;
        return row;
      }
      if (this.#isLast) return undefined;
      this.#readOn(block);
    }
  }

  #readOn(block: number): void {
    const isDense = this.#used * 2 >= this.#chunk.length;
    this.#size = isDense ? Math.min(this.#size * 4, CHUNK.most) : CHUNK.least;
    this.#chunk = this.#read(block, this.#size);
    this.#isLast = this.#chunk.length < this.#size;
    this.#at = 0;
    this.#used = 0;
  }
}

export type StoredBlock = { block: number; places: () => Places };

/** Reads the blocks of a value: its channel, column and text. */
export function storedBlocks(
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
