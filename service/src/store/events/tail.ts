import type { DatabaseSync } from "node:sqlite";
import { SEARCHED_COLUMNS } from "../schema.ts";
import type { Yielder } from "../yielder.ts";
import { BLOCK, stored } from "./places.ts";

/** Events read by one statement: that takes about a millisecond. */
const READ_AT_ONCE = 256;
/** Channels whose last block stays in memory: each takes up to some hundred kB. */
const MAX_TAILS = 16;

export type SearchedColumn = (typeof SEARCHED_COLUMNS)[number];

/**
 * The last block of a channel, in memory until it is full: what later becomes its rows of the index. It reads the events
 * from the database, so what is in memory can be lost at any time.
 */
export class EventTail {
  readonly block: number;
  readonly #database: DatabaseSync;
  readonly #channelId: string;
  readonly #places: ReadonlyArray<Map<string, number[]>> = SEARCHED_COLUMNS.map(() => new Map());
  readonly #times = new Float64Array(BLOCK).fill(Number.NaN);
  #last: number;

  constructor(database: DatabaseSync, channelId: string) {
    this.#database = database;
    this.#channelId = channelId;
    const row = database
      .prepare("SELECT max(block) AS block FROM event_block_times WHERE channel_id = ?")
      .get(channelId);
    this.block = typeof row?.block === "number" ? row.block + 1 : 0;
    this.#last = this.block * BLOCK - 1;
  }

  /** The last offset that was read. */
  get last(): number {
    return this.#last;
  }

  /** The offset that makes it full. */
  get end(): number {
    return (this.block + 1) * BLOCK - 1;
  }

  /** When the event at each place was created; `NaN` for a place without an event. */
  get times(): Float64Array {
    return this.#times;
  }

  placesOf(column: SearchedColumn, value: string): readonly number[] {
    return this.#places[SEARCHED_COLUMNS.indexOf(column)]?.get(value) ?? [];
  }

  /** Reads the events up to an offset, at most to its end. */
  readTo(offset: number): void {
    const to = Math.min(offset, this.end);
    if (to <= this.#last) return;
    const statement = this.#database.prepare(
      `SELECT offset, created_at, ${SEARCHED_COLUMNS.join(", ")} FROM events
       WHERE channel_id = ? AND offset BETWEEN ? AND ?`,
    );
    statement.setReturnArrays(true);
    const rows = statement.all(this.#channelId, this.#last + 1, to) as unknown as unknown[][];
    for (const [at, createdAt, ...values] of rows) {
      const place = Number(at) - this.block * BLOCK;
      this.#times[place] = Number(createdAt);
      for (const [column, value] of values.entries())
        if (value !== null) this.#add(column, String(value), place);
    }
    this.#last = to;
  }

  #add(column: number, value: string, place: number): void {
    const values = this.#places[column];
    const known = values?.get(value);
    if (known === undefined) values?.set(value, [place]);
    else known.push(place);
  }

  /** Stores it when it is full. Call it in a transaction. */
  store(): void {
    this.readTo(this.end);
    const find = this.#database.prepare(
      "SELECT value_id FROM event_values WHERE channel_id = ? AND kind = ? AND value = ?",
    );
    const create = this.#database.prepare(
      "INSERT INTO event_values (channel_id, kind, value) VALUES (?, ?, ?) RETURNING value_id",
    );
    const insert = this.#database.prepare(
      "INSERT INTO event_blocks (value_id, block, places) VALUES (?, ?, ?)",
    );
    for (const [column, values] of this.#places.entries()) {
      for (const [value, places] of values) {
        const key = [this.#channelId, SEARCHED_COLUMNS[column] ?? "", value] as const;
        const { value_id } = find.get(...key) ?? create.get(...key) ?? {};
        insert.run(Number(value_id), this.block, stored(places));
      }
    }
    const known = this.#times.filter((time) => !Number.isNaN(time));
    this.#database
      .prepare("INSERT INTO event_block_times (channel_id, block, oldest, newest) VALUES (?, ?, ?, ?)")
      .run(this.#channelId, this.block, Math.min(...known), Math.max(...known));
    this.#database
      .prepare("INSERT INTO event_seconds (channel_id, block, seconds) VALUES (?, ?, ?)")
      .run(this.#channelId, this.block, new Uint8Array(this.#times.buffer));
  }
}

/** The last blocks of the channels, and what makes them rows of the index. */
export class EventIndex {
  readonly #database: DatabaseSync;
  readonly #tails = new Map<string, EventTail>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Call it for each event that is appended, in its transaction. */
  appended(channelId: string, offset: number): void {
    // What it read was rolled back.
    if (offset <= (this.#tails.get(channelId)?.last ?? -1)) this.#tails.delete(channelId);
    // Most of a full block is in memory before it is stored. One that made room for others is then read as a whole.
    const place = offset % BLOCK;
    if ((place + 1) % READ_AT_ONCE !== 0) return;
    const isNeeded = place < READ_AT_ONCE || place === BLOCK - 1 || this.#tails.has(channelId);
    if (!isNeeded) return;
    const tail = this.#tailOf(channelId);
    tail.readTo(offset);
    if (tail.last < tail.end) return;
    tail.store();
    this.#tails.delete(channelId);
  }

  /** The last block with all events up to this last one of the channel. It yields to the event loop. */
  async tail(channelId: string, last: number, yielder: Yielder): Promise<EventTail> {
    // It read what was rolled back.
    if ((this.#tails.get(channelId)?.last ?? -1) > last) this.#tails.delete(channelId);
    const tail = this.#tailOf(channelId);
    while (tail.last < Math.min(last, tail.end)) {
      if (yielder.shouldYield()) await yielder.yield();
      tail.readTo(Math.min(tail.last + READ_AT_ONCE, last));
    }
    return tail;
  }

  /** The channel that was used last comes last: the first one makes room. */
  #tailOf(channelId: string): EventTail {
    const tail = this.#tails.get(channelId) ?? new EventTail(this.#database, channelId);
    this.#tails.delete(channelId);
    this.#tails.set(channelId, tail);
    const [oldest] = this.#tails.keys();
    if (this.#tails.size > MAX_TAILS && oldest !== undefined) this.#tails.delete(oldest);
    return tail;
  }
}
