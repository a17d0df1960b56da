import { randomUUID } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { EventType, OcrProof } from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { anyOf, type Cursor, IndexCursor, type Step } from "./cursors.ts";
import { EventPages } from "./event-pages.ts";
import { TimeCursor } from "./event-times.ts";
import type { PageRequest } from "./lists.ts";
import { type Row, text } from "./rows.ts";
import type { SEARCHED_COLUMNS } from "./schema.ts";
import { walk } from "./walk.ts";
import type { Yielder } from "./yielder.ts";

export type NewEvent = {
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

type Kind = (typeof SEARCHED_COLUMNS)[number];

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

/** The events of all channels. Each is stored as the text that is sent. Offsets count from 1 in each channel, without gaps. */
export class Events {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;
  readonly #pages: EventPages;
  readonly #nextOffset: StatementSync;
  readonly #insert: StatementSync;
  readonly #listeners: Array<(event: Appended) => void> = [];

  constructor(database: DatabaseSync, yielder: Yielder) {
    this.#database = database;
    this.#yielder = yielder;
    this.#pages = new EventPages(database, yielder);
    this.#nextOffset = database.prepare(
      "UPDATE channels SET last_offset = last_offset + 1 WHERE channel_id = ? RETURNING last_offset",
    );
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
    const eventId = randomUUID();
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
  poll(channelId: string, options: Reading & { offset?: number; type?: string }): Promise<Buffer> {
    const { offset, type } = options;
    const step = offset === undefined ? -1 : 1;
    const cursors = type === undefined ? [] : [this.#having(channelId, "type", [type], step)];
    return this.#page(channelId, { ...options, cursors, step, skip: 0, from: offset });
  }

  /** A page of matching events as JSON, oldest first. */
  search(channelId: string, filter: EventFilter, options: Reading & PageRequest): Promise<Buffer> {
    const { created = {}, ...values } = filter;
    const cursors = Object.entries(values)
      .map(([kind, value]): [string, string[]] => [kind, [value].flat()])
      .filter(([, list]) => list.length > 0)
      .map(([kind, list]) => this.#having(channelId, kind as Kind, list, 1));
    const from = Math.max(created.gte ?? 0, (created.gt ?? -1) + 1);
    const to = Math.min(
      created.lte ?? Number.POSITIVE_INFINITY,
      (created.lt ?? Number.POSITIVE_INFINITY) - 1,
    );
    if (from > 0 || to < Number.POSITIVE_INFINITY) {
      cursors.push(new TimeCursor(this.#database, channelId, { from, to }));
    }
    return this.#page(channelId, { ...options, cursors, step: 1, skip: options.offset });
  }

  /** One event as JSON text. */
  get(channelId: string, eventId: string): string | undefined {
    const row = this.#database
      .prepare("SELECT json FROM events WHERE channel_id = ? AND event_id = ?")
      .get(channelId, eventId);
    return row === undefined ? undefined : text(row as Row, "json");
  }

  /** Offsets of the events that have one of these values. */
  #having(channelId: string, kind: Kind, values: readonly string[], step: Step): Cursor {
    const idOf = this.#database.prepare(
      "SELECT value_id FROM event_values WHERE channel_id = ? AND kind = ? AND value = ?",
    );
    const select = `SELECT offset AS place FROM event_places WHERE value_id = ?
      AND offset ${step === 1 ? ">=" : "<="} ? ORDER BY offset ${step === 1 ? "" : "DESC"} LIMIT ?`;
    const asStored = values.map((value) => (kind === "address" ? value.toLowerCase() : value));
    const cursors = [...new Set(asStored)]
      .flatMap((value) => idOf.get(channelId, kind, value)?.value_id ?? [])
      .map((valueId) => new IndexCursor(this.#database, select, [valueId], step));
    return anyOf(cursors, step);
  }

  /** Events that are appended meanwhile are ignored: the page shows one moment. */
  async #page(
    channelId: string,
    options: Reading & { cursors: Cursor[]; step: Step; skip: number; from?: number | undefined },
  ): Promise<Buffer> {
    const { isHidden, isAbandoned, step } = options;
    const channel = this.#database
      .prepare("SELECT last_offset, largest_event FROM channels WHERE channel_id = ?")
      .get(channelId);
    const last = Number(channel?.last_offset ?? 0);
    const matches = isHidden && ((offset: number) => !isHidden(channelId, offset));
    const [from, to] = step === 1 ? [Math.max(options.from ?? 1, 1), last] : [last, 1];
    const found = await walk({ ...options, matches, from, to }, this.#yielder);
    const largest = Number(channel?.largest_event ?? 0);
    return this.#pages.read(channelId, { ...found, step, largest, isAbandoned });
  }
}

function columnValue(value: unknown): SQLInputValue {
  return typeof value === "string" ? value : null;
}
