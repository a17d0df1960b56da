import { randomUUID } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { EventType, OcrProof } from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { Conditions, type Row, text } from "./rows.ts";

export type NewEvent = {
  channelId: string;
  type: EventType;
  payload: Record<string, unknown>;
  proof?: OcrProof | undefined;
  /** What the event is found by, beside what its payload says: columns of `events`. */
  found?: { address?: string; event_name?: string; service?: string };
};

/** What is told of each event that has been appended. */
export type Appended = { eventId: string; channelId: string; type: EventType; hasProof: boolean };

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

/** Event columns that come straight from the payload. */
const PAYLOAD_COLUMNS = [
  "chain_selector",
  "status",
  "watcher_id",
  "wallet_id",
  "operation_id",
  "wallet_operation_id",
  "query_id",
] as const;
const COMPARISONS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** The events of all channels. Each is kept as the text it is sent as; offsets count from 1 in each channel without gaps. */
export class Events {
  readonly #database: DatabaseSync;
  readonly #nextOffset: StatementSync;
  readonly #insert: StatementSync;
  readonly #listeners: Array<(event: Appended) => void> = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
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

  /** Appends to a channel. Call it in the transaction that makes the event true. */
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
      type: event.type,
      hasProof: event.proof !== undefined,
    };
    for (const listener of this.#listeners) listener(appended);
  }

  /** A page as JSON: from `offset` upwards, or the newest downwards when no offset is given. */
  poll(
    channelId: string,
    options: { offset?: number; type?: string; limit: number; hidden?: readonly string[] },
  ): Buffer {
    const { offset, type, limit, hidden } = options;
    const conditions = new Conditions()
      .equal("channel_id", channelId)
      .equal("type", type)
      .noneOf("event_id", hidden);
    if (offset !== undefined) conditions.add("offset >= ?", offset);
    return this.#page(conditions, { limit, order: offset === undefined ? "offset DESC" : "offset" });
  }

  /** A page of matching events as JSON, oldest first. */
  search(
    channelId: string,
    filter: EventFilter,
    options: { limit: number; offset: number; hidden?: readonly string[] },
  ): Buffer {
    const conditions = new Conditions()
      .equal("channel_id", channelId)
      .oneOf("type", filter.type)
      .oneOf("chain_selector", filter.chain_selector)
      .oneOf("status", filter.status)
      .oneOf("service", filter.service)
      .oneOf(
        "address",
        filter.address?.map((address) => address.toLowerCase()),
      )
      .equal("watcher_id", filter.watcher_id)
      .equal("wallet_id", filter.wallet_id)
      .equal("operation_id", filter.operation_id)
      .equal("wallet_operation_id", filter.wallet_operation_id)
      .equal("query_id", filter.query_id)
      .equal("event_name", filter.event_name)
      .noneOf("event_id", options.hidden);
    for (const [name, operator] of Object.entries(COMPARISONS)) {
      const time = filter.created?.[name as keyof typeof COMPARISONS];
      if (time !== undefined) conditions.add(`created_at ${operator} ?`, time);
    }
    return this.#page(conditions, { ...options, order: "offset" });
  }

  /** One event as JSON text. */
  get(channelId: string, eventId: string): string | undefined {
    const row = this.#database
      .prepare("SELECT json FROM events WHERE channel_id = ? AND event_id = ?")
      .get(channelId, eventId);
    return row === undefined ? undefined : text(row as Row, "json");
  }

  /** SQLite itself puts the page together: its bytes never become a string here, which takes three times as long. */
  #page(conditions: Conditions, options: { limit: number; offset?: number; order: string }): Buffer {
    const { limit, offset = 0, order } = options;
    const from = `FROM events WHERE ${conditions.sql}`;
    const sql = `
      SELECT CAST(
        '{"events":[' || COALESCE(group_concat(json, ','), '')
        || IIF(EXISTS (SELECT 1 ${from} LIMIT 1 OFFSET ?), '],"has_more":true}', '],"has_more":false}')
      AS BLOB) AS page FROM (SELECT json ${from} ORDER BY ${order} LIMIT ? OFFSET ?)`;
    const { values } = conditions;
    const page = this.#database.prepare(sql).get(...values, offset + limit, ...values, limit, offset)?.page;
    if (!(page instanceof Uint8Array)) throw new Error("A page is no blob.");
    return Buffer.from(page.buffer);
  }
}

function columnValue(value: unknown): SQLInputValue {
  return typeof value === "string" ? value : null;
}
