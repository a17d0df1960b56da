import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { EventType, OcrProof } from "../../../../src/protocol/index.ts";
import { now } from "../../time.ts";
import type { PageRequest, Step } from "../lists.ts";
import { type Row, text } from "../rows.ts";
import type { Ids } from "../settings.ts";
import type { Shared } from "../table.ts";
import type { Yielder } from "../yielder.ts";
import {
  AnyCursor,
  type BlockCursor,
  type Searched,
  TimeCursor,
  type TimeRange,
  ValueCursor,
} from "./cursors.ts";
import { EventPages, type StoredPage } from "./pages.ts";
import type { SearchedColumn } from "./tail.ts";
import { EventIndex } from "./tail.ts";
import { walkEvents } from "./walk.ts";

type NewEvent = {
  channelId: string;
  type: EventType;
  payload: Record<string, unknown>;
  proof?: OcrProof | undefined;
  /** More values that searches find the event by: columns of `events`. */
  found?: { address?: string; event_name?: string; service?: string };
};

/** An event that has been appended, for listeners. */
export type Appended = {
  eventId: string;
  channelId: string;
  offset: number;
  type: EventType;
  hasProof: boolean;
};

/** Filters of a search; times in Unix seconds. Lists mean "one of". */
export type EventFilter = {
  type?: string[];
  chain_selector?: string[];
  status?: string[];
  address?: string[];
  service?: string[];
  watcher_id?: string;
  wallet_id?: string;
  operation_id?: string;
  wallet_operation_id?: string;
  query_id?: string;
  event_name?: string;
  created?: { gt?: number; gte?: number; lt?: number; lte?: number };
};

/** Event columns that are members of the payload. */
const PAYLOAD_COLUMNS = [
  "chain_selector",
  "status",
  "watcher_id",
  "wallet_id",
  "operation_id",
  "wallet_operation_id",
  "query_id",
] as const;

/** Whether an event is not visible yet. */
export type IsHidden = (channelId: string, offset: number) => boolean;
type Reading = { limit: number; isHidden?: IsHidden | undefined; isAbandoned?: (() => boolean) | undefined };

/** A column, and the values of which an event must have one. */
type Asked = [SearchedColumn, readonly string[]];
type PageOptions = Reading & {
  asked: readonly Asked[];
  times?: TimeRange | undefined;
  step: Step;
  skip: number;
  from?: number | undefined;
};

/** The events of all channels. Each is stored as the text that is sent. Offsets count from 1 in each channel, without gaps. */
export class Events {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;
  readonly #ids: Ids;
  readonly #index: EventIndex;
  readonly #pages: EventPages;
  readonly #nextOffset: StatementSync;
  readonly #setLargest: StatementSync;
  readonly #insert: StatementSync;
  readonly #listeners: Array<(event: Appended) => void> = [];

  constructor({ database, yielder, ids }: Shared) {
    this.#database = database;
    this.#yielder = yielder;
    this.#ids = ids;
    this.#index = new EventIndex(database);
    this.#pages = new EventPages(database, yielder);
    this.#nextOffset = database.prepare(
      "UPDATE channels SET last_offset = last_offset + 1 WHERE channel_id = ? RETURNING last_offset, largest_event",
    );
    this.#setLargest = database.prepare("UPDATE channels SET largest_event = ? WHERE channel_id = ?");
    this.#insert = database.prepare(
      `INSERT INTO events (channel_id, offset, event_id, type, created_at, ${PAYLOAD_COLUMNS.join(", ")}, address, event_name, service, json)
       VALUES (?, ?, ?, ?, ?, ${PAYLOAD_COLUMNS.map(() => "?").join(", ")}, ?, ?, ?, ?)`,
    );
  }

  onAppend(listener: (event: Appended) => void): void {
    this.#listeners.push(listener);
  }

  /** Appends to a channel. Call it in the transaction of the change that the event reports. */
  append(event: NewEvent): void {
    const row = this.#nextOffset.get(event.channelId);
    if (row === undefined) throw new Error(`There is no channel ${event.channelId} to append an event to.`);
    const offset = Number(row.last_offset);
    const eventId = this.#ids.ofEvent(event.channelId, offset);
    const createdAt = now();
    const json = JSON.stringify({
      event_id: eventId,
      headers: { type: event.type, offset, proofs: event.proof === undefined ? [] : [event.proof] },
      payload: event.payload,
      channel_id: event.channelId,
      created_at: createdAt,
    });
    this.#insert.run(
      event.channelId,
      offset,
      eventId,
      event.type,
      createdAt,
      ...PAYLOAD_COLUMNS.map((column) => columnValue(event.payload[column])),
      columnValue(event.found?.address ?? event.payload.address)
        ?.toString()
        .toLowerCase() ?? null,
      columnValue(event.found?.event_name),
      columnValue(event.found?.service),
      json,
    );
    const bytes = Buffer.byteLength(json);
    if (bytes > Number(row.largest_event)) this.#setLargest.run(bytes, event.channelId);
    this.#index.appended(event.channelId, offset);
    const appended = {
      eventId,
      channelId: event.channelId,
      offset,
      type: event.type,
      hasProof: event.proof !== undefined,
    };
    for (const listener of this.#listeners) listener(appended);
  }

  /** A page as JSON: from `offset` upwards, or the newest downwards when no offset is given. */
  poll(channelId: string, options: Reading & { offset?: number; type?: string }): Promise<StoredPage> {
    const { offset, type } = options;
    const asked: Asked[] = type === undefined ? [] : [["type", [type]]];
    const step = offset === undefined ? -1 : 1;
    return this.#page(channelId, { ...options, asked, step, skip: 0, from: offset });
  }

  /** A page of matching events as JSON, oldest first. */
  search(channelId: string, filter: EventFilter, options: Reading & PageRequest): Promise<StoredPage> {
    const { created = {}, ...values } = filter;
    const asked = Object.entries(values)
      .map(([column, value]) => [column, [value].flat()] as Asked)
      .filter(([, list]) => list.length > 0);
    const from = Math.max(created.gte ?? 0, (created.gt ?? -1) + 1);
    const to = Math.min(
      created.lte ?? Number.POSITIVE_INFINITY,
      (created.lt ?? Number.POSITIVE_INFINITY) - 1,
    );
    const times = from > 0 || to < Number.POSITIVE_INFINITY ? { from, to } : undefined;
    return this.#page(channelId, { ...options, asked, times, step: 1, skip: options.offset });
  }

  /** One event as JSON text. */
  get(channelId: string, eventId: string): string | undefined {
    const row = this.#database
      .prepare("SELECT json FROM events WHERE channel_id = ? AND event_id = ?")
      .get(channelId, eventId);
    return row === undefined ? undefined : text(row as Row, "json");
  }

  /** Events that are appended meanwhile are ignored: the page shows one moment. */
  async #page(channelId: string, options: PageOptions): Promise<StoredPage> {
    const { isHidden, isAbandoned, step, asked, times } = options;
    const database = this.#database;
    const channel = database
      .prepare("SELECT last_offset, largest_event FROM channels WHERE channel_id = ?")
      .get(channelId);
    const last = Number(channel?.last_offset ?? 0);
    const cursors: BlockCursor[] = [];
    if (asked.length > 0 || times !== undefined) {
      const tail = await this.#index.tail(channelId, last, this.#yielder);
      const searched = { database, channelId, tail, step };
      cursors.push(...asked.map((one) => having(searched, one)));
      if (times !== undefined) cursors.push(new TimeCursor(searched, times));
    }
    const matches = isHidden && ((offset: number) => !isHidden(channelId, offset));
    const [from, to] = step === 1 ? [Math.max(options.from ?? 1, 1), last] : [last, 1];
    const found = await walkEvents({ ...options, cursors, matches, from, to }, this.#yielder);
    const largest = Number(channel?.largest_event ?? 0);
    return this.#pages.read(channelId, { ...found, step, largest, isAbandoned });
  }
}

/** The events that have one of these values. */
function having(searched: Searched, [column, values]: Asked): BlockCursor {
  const asStored = values.map((value) => (column === "address" ? value.toLowerCase() : value));
  const cursors = [...new Set(asStored)].map((value) => new ValueCursor(searched, column, value));
  const [only, ...others] = cursors;
  return only !== undefined && others.length === 0 ? only : new AnyCursor(cursors, searched.step);
}

function columnValue(value: unknown): SQLInputValue {
  return typeof value === "string" ? value : null;
}
