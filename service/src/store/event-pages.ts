import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Step } from "./cursors.ts";
import type { Found } from "./walk.ts";
import type { Yielder } from "./yielder.ts";

/** Bytes read by one statement: that takes some milliseconds. */
const MAX_BYTES = 4 * 1024 * 1024;
const HEAD = Buffer.from('{"events":[');
const COMMA = Buffer.from(",");
const tail = (hasMore: boolean) => `],"has_more":${hasMore}}`;

type PageOfPlaces = Found & {
  step: Step;
  largest: number;
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

/**
 * Pages of events as the bytes that are sent. SQLite joins them: reading them one by one takes three times as long, and as
 * strings four times.
 */
export class EventPages {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;

  constructor(database: DatabaseSync, yielder: Yielder) {
    this.#database = database;
    this.#yielder = yielder;
  }

  /** `largest` is the size of the largest event of the channel in bytes. The page is empty when the caller has gone. */
  async read(channelId: string, page: PageOfPlaces): Promise<Buffer> {
    const { places, hasMore, step, largest } = page;
    const [first, last] = [places[0], places.at(-1)];
    if (first === undefined || last === undefined) return emptyPage(hasMore);
    const isRange = Math.abs(last - first) === places.length - 1;
    const which = isRange ? "BETWEEN ? AND ?" : "IN (SELECT value FROM json_each(?))";
    const values = isRange ? [Math.min(first, last), Math.max(first, last)] : [JSON.stringify(places)];
    const from = `FROM events WHERE channel_id = ? AND offset ${which}`;
    if (places.length * largest > MAX_BYTES) {
      const size = this.#database.prepare(`SELECT SUM(octet_length(json)) AS bytes ${from}`);
      const bytes = Number(size.get(channelId, ...values)?.bytes);
      if (bytes > MAX_BYTES) return this.#readLarge(channelId, page, bytes);
    }
    const joined = this.#database.prepare(
      `SELECT CAST(concat('{"events":[', group_concat(json, ','), ?) AS BLOB) AS bytes
       FROM (SELECT json ${from} ORDER BY offset ${step === 1 ? "" : "DESC"})`,
    );
    return bytesOf(joined, tail(hasMore), channelId, ...values);
  }

  /** One by one, yielding in between. `bytes` is the size of all its events. */
  async #readLarge(channelId: string, page: PageOfPlaces, bytes: number): Promise<Buffer> {
    const { places, hasMore, isAbandoned } = page;
    const one = this.#database.prepare(
      "SELECT CAST(json AS BLOB) AS bytes FROM events WHERE channel_id = ? AND offset = ?",
    );
    const end = Buffer.from(tail(hasMore));
    const whole = Buffer.allocUnsafe(HEAD.length + bytes + (places.length - 1) * COMMA.length + end.length);
    let at = 0;
    for (const [index, place] of places.entries()) {
      if (this.#yielder.shouldYield()) {
        await this.#yielder.yield();
        if (isAbandoned?.() === true) return emptyPage(false);
      }
      at += (index === 0 ? HEAD : COMMA).copy(whole, at);
      at += bytesOf(one, channelId, place).copy(whole, at);
    }
    end.copy(whole, at);
    return whole;
  }
}

function emptyPage(hasMore: boolean): Buffer {
  return Buffer.concat([HEAD, Buffer.from(tail(hasMore))]);
}

function bytesOf(statement: StatementSync, ...values: Array<string | number>): Buffer {
  const bytes = statement.get(...values)?.bytes;
  if (!(bytes instanceof Uint8Array)) throw new Error("An event is not a blob.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
