import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Step } from "./cursors.ts";
import type { Turns } from "./turns.ts";
import type { Found } from "./walk.ts";

/** So much is read at once: it takes some milliseconds. */
const MOST_BYTES = 4 * 1024 * 1024;
const HEAD = Buffer.from('{"events":[');
const COMMA = Buffer.from(",");
const tail = (hasMore: boolean) => `],"has_more":${hasMore}}`;

/**
 * Pages of events as the bytes that are sent. SQLite itself puts them together: to take them out one by one takes
 * three times as long, and as texts four times.
 */
export class EventPages {
  readonly #database: DatabaseSync;
  readonly #turns: Turns;

  constructor(database: DatabaseSync, turns: Turns) {
    this.#database = database;
    this.#turns = turns;
  }

  /** `largest` is how many bytes an event of the channel has at most. */
  async read(channelId: string, page: Found & { step: Step; largest: number }): Promise<Buffer> {
    const { places, hasMore, step, largest } = page;
    const [first, last] = [places[0], places.at(-1)];
    if (first === undefined || last === undefined) return Buffer.concat([HEAD, Buffer.from(tail(hasMore))]);
    const isRange = Math.abs(last - first) === places.length - 1;
    const which = isRange ? "BETWEEN ? AND ?" : "IN (SELECT value FROM json_each(?))";
    const values = isRange ? [Math.min(first, last), Math.max(first, last)] : [JSON.stringify(places)];
    const from = `FROM events WHERE channel_id = ? AND offset ${which}`;
    if (places.length * largest > MOST_BYTES) {
      const size = this.#database.prepare(`SELECT SUM(octet_length(json)) AS bytes ${from}`);
      if (Number(size.get(channelId, ...values)?.bytes) > MOST_BYTES) return this.#readLarge(channelId, page);
    }
    const joined = this.#database.prepare(
      `SELECT CAST(concat('{"events":[', group_concat(json, ','), ?) AS BLOB) AS bytes
       FROM (SELECT json ${from} ORDER BY offset ${step === 1 ? "" : "DESC"})`,
    );
    return bytesOf(joined, tail(hasMore), channelId, ...values);
  }

  /** One by one, with turns for others between them. */
  async #readLarge(channelId: string, { places, hasMore }: Found): Promise<Buffer> {
    const one = this.#database.prepare(
      "SELECT CAST(json AS BLOB) AS bytes FROM events WHERE channel_id = ? AND offset = ?",
    );
    const parts: Buffer[] = [];
    for (const [index, place] of places.entries()) {
      if (this.#turns.isOver()) await this.#turns.next();
      parts.push(index === 0 ? HEAD : COMMA, bytesOf(one, channelId, place));
    }
    parts.push(Buffer.from(tail(hasMore)));
    return await this.#join(parts);
  }

  async #join(parts: readonly Buffer[]): Promise<Buffer> {
    const page = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      if (this.#turns.isOver()) await this.#turns.next();
      at += part.copy(page, at);
    }
    return page;
  }
}

function bytesOf(statement: StatementSync, ...values: Array<string | number>): Buffer {
  const bytes = statement.get(...values)?.bytes;
  if (!(bytes instanceof Uint8Array)) throw new Error("An event is no blob.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
