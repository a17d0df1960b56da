import type { DatabaseSync } from "node:sqlite";
import type { Found, Step } from "../lists.ts";
import type { Yielder } from "../yielder.ts";

/** A larger page is sent in parts. Reading so many bytes takes some milliseconds. */
const MAX_BYTES = 4 * 1024 * 1024;
const PART_BYTES = 1024 * 1024;
const HEAD = '{"events":[';
const tail = (hasMore: boolean) => `],"has_more":${hasMore}}`;

/** A page of events as the bytes that are sent. A large one is read in parts, when the caller takes them. */
export type StoredPage = Buffer | { bytes: number; parts: AsyncIterable<Buffer> };

type PageOfPlaces = Found & {
  step: Step;
  largest: number;
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

/** Events in their order, and the texts before and after them. */
type Part = { channelId: string; places: readonly number[]; step: Step; before: string; after: string };

/** All bytes of a page. */
export async function bytesOf(page: StoredPage): Promise<Buffer> {
  if (Buffer.isBuffer(page)) return page;
  const parts: Buffer[] = [];
  for await (const part of page.parts) parts.push(part);
  return Buffer.concat(parts);
}

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

  /** `largest` is the size of the largest event of the channel in bytes. */
  read(channelId: string, page: PageOfPlaces): StoredPage {
    const { places, hasMore, step, largest } = page;
    const part = { channelId, places, step, before: HEAD, after: tail(hasMore) };
    if (places.length === 0) return Buffer.from(part.before + part.after);
    if (places.length * largest <= MAX_BYTES) return this.#join(part);
    const sizes = this.#sizesOf(channelId, places);
    const bytes = sizes.reduce((sum, size) => sum + size, 0) + places.length - 1;
    if (bytes <= MAX_BYTES) return this.#join(part);
    const all = inParts(part, sizes);
    return { bytes: bytes + part.before.length + part.after.length, parts: this.#read(all, page) };
  }

  /** Yields to the event loop between two parts. */
  async *#read(parts: readonly Part[], { isAbandoned }: PageOfPlaces): AsyncGenerator<Buffer> {
    for (const part of parts) {
      if (this.#yielder.shouldYield()) await this.#yielder.yield();
      if (isAbandoned?.() === true) return;
      yield this.#join(part);
    }
  }

  #join({ channelId, places, step, before, after }: Part): Buffer {
    const { which, values } = condition(places);
    // Only the first and the last event are copied to get the texts around them.
    const joined = `SELECT CAST(group_concat(CASE offset
      WHEN ? THEN CASE offset WHEN ? THEN ? || json || ? ELSE ? || json END
      WHEN ? THEN json || ? ELSE json END, ',') AS BLOB) AS bytes`;
    const [first, last] = [places[0] ?? 0, places.at(-1) ?? 0];
    const from = `FROM events WHERE channel_id = ? AND offset ${which}`;
    // SQLite goes upwards through the primary key: with a subquery in this order it would copy each event once more.
    const isUpwards = step === 1 && which.startsWith("BETWEEN");
    const ordered = `FROM (SELECT offset, json ${from} ORDER BY offset ${step === 1 ? "" : "DESC"})`;
    const bytes = this.#database
      .prepare(`${joined} ${isUpwards ? from : ordered}`)
      .get(first, last, before, after, before, last, after, channelId, ...values)?.bytes;
    if (!(bytes instanceof Uint8Array)) throw new Error("A page of events is not a blob.");
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The sizes of events in bytes, in their order. */
  #sizesOf(channelId: string, places: readonly number[]): number[] {
    const { which, values } = condition(places);
    const rows = this.#database
      .prepare(
        `SELECT offset, octet_length(json) AS bytes FROM events WHERE channel_id = ? AND offset ${which}`,
      )
      .all(channelId, ...values);
    const sizes = new Map(rows.map(({ offset, bytes }) => [Number(offset), Number(bytes)]));
    return places.map((place) => sizes.get(place) ?? 0);
  }
}

/** These events in SQL. */
function condition(places: readonly number[]): { which: string; values: Array<string | number> } {
  const [first, last] = [places[0] ?? 0, places.at(-1) ?? 0];
  const isRange = Math.abs(last - first) === places.length - 1;
  return isRange
    ? { which: "BETWEEN ? AND ?", values: [Math.min(first, last), Math.max(first, last)] }
    : { which: "IN (SELECT value FROM json_each(?))", values: [JSON.stringify(places)] };
}

/** A page in parts of at most `PART_BYTES`, or of one larger event. */
function inParts(page: Part, sizes: readonly number[]): Part[] {
  const groups: number[][] = [];
  let room = 0;
  for (const [index, place] of page.places.entries()) {
    const size = sizes[index] ?? 0;
    if (size > room) {
      groups.push([]);
      room = PART_BYTES;
    }
    groups.at(-1)?.push(place);
    room -= size;
  }
  return groups.map((places, index) => ({
    ...page,
    places,
    before: index === 0 ? page.before : ",",
    after: index === groups.length - 1 ? page.after : "",
  }));
}
