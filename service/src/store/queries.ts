import type { DatabaseSync } from "node:sqlite";
import {
  type Hex,
  type OcrProof,
  QUERY_STATUSES,
  type Query,
  type QueryParams,
  type QueryStatus,
  unlisted,
} from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { shownStatuses } from "./channels.ts";
import { type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, defined, integer, json, optionalText, type Row, text } from "./rows.ts";
import type { Yielder } from "./yielder.ts";

/** A query with internal fields: its key, its parameters and its metadata. */
export type StoredQuery = Query & {
  status: QueryStatus;
  idempotencyKey: string;
  params: Required<QueryParams>;
  metadata?: unknown;
};

type QueryFilter = PageRequest & {
  channelId: string;
  status?: string[];
  queryKind?: string[];
  chainSelector?: string;
};

export type NewQuery = Pick<
  StoredQuery,
  "query_id" | "channel_id" | "idempotencyKey" | "query_kind" | "chain_selector" | "params" | "metadata"
> & { expiresAt: number };

/** Deadlines handled together: each one is a write. */
const MAX_OVERDUE = 50;

export class Queries {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;

  constructor(database: DatabaseSync, yielder: Yielder) {
    this.#database = database;
    this.#yielder = yielder;
  }

  create(query: NewQuery): void {
    const time = now();
    this.#database
      .prepare(
        `INSERT INTO queries (query_id, channel_id, idempotency_key, status, query_kind, chain_selector, target,
           params, metadata, created_at, updated_at, expires_at, times) VALUES (?, ?, ?, 'accepted', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        query.query_id,
        query.channel_id,
        query.idempotencyKey,
        query.query_kind,
        query.chain_selector,
        query.params.contract_address,
        JSON.stringify(query.params),
        query.metadata === undefined ? null : JSON.stringify(query.metadata),
        time,
        time,
        query.expiresAt,
        JSON.stringify({ accepted_at: time }),
      );
  }

  get(queryId: string): StoredQuery | undefined {
    const row = this.#database.prepare("SELECT * FROM queries WHERE query_id = ?").get(queryId);
    return row === undefined ? undefined : toQuery(row as Row);
  }

  withKey(channelId: string, idempotencyKey: string): StoredQuery | undefined {
    const row = this.#database
      .prepare("SELECT * FROM queries WHERE channel_id = ? AND idempotency_key = ?")
      .get(channelId, idempotencyKey);
    return row === undefined ? undefined : toQuery(row as Row);
  }

  /** Ids of queries with these statuses, oldest first. */
  withStatus(...status: QueryStatus[]): string[] {
    const { sql, values } = new Conditions().oneOf("status", status);
    return this.#database
      .prepare(`SELECT query_id FROM queries WHERE ${sql} ORDER BY sequence`)
      .all(...values)
      .map((row) => text(row as Row, "query_id"));
  }

  /** Ids of queries that expired before `time`, at most fifty of each status. */
  overdue(time: number, ...status: QueryStatus[]): string[] {
    return status.flatMap((one) =>
      this.#database
        .prepare("SELECT query_id FROM queries WHERE status = ? AND expires_at < ? LIMIT ?")
        .all(one, time, MAX_OVERDUE)
        .map((row) => text(row as Row, "query_id")),
    );
  }

  list(filter: QueryFilter): Promise<Page<StoredQuery>> {
    const list = {
      table: "queries",
      step: -1,
      indexed: [{ channel_id: filter.channelId, status: shownStatuses(filter.status, QUERY_STATUSES) }],
      conditions: new Conditions()
        .noneOf("query_id", filter.absent)
        .oneOf("query_kind", filter.queryKind)
        .equal("chain_selector", filter.chainSelector),
    } as const;
    return pageOfList({ database: this.#database, yielder: this.#yielder }, list, filter, toQuery);
  }

  setStatus(queryId: string, status: QueryStatus): void {
    const time = now();
    this.#database
      .prepare(
        "UPDATE queries SET status = ?, updated_at = ?, times = json_set(times, ?, ?) WHERE query_id = ?",
      )
      .run(status, time, `$.${status}_at`, time, queryId);
  }

  setResult(queryId: string, result: { text: string; hash: Hex; proof: OcrProof }): void {
    this.#database
      .prepare("UPDATE queries SET verifiable_result = ?, event_hash = ?, proof = ? WHERE query_id = ?")
      .run(result.text, result.hash, JSON.stringify(result.proof), queryId);
  }
}

/** As the API returns it. */
export function shownQuery({ idempotencyKey, params, metadata, ...query }: StoredQuery): Query {
  return query;
}

function toQuery(row: Row): StoredQuery {
  return defined({
    query_id: text(row, "query_id"),
    channel_id: text(row, "channel_id"),
    idempotencyKey: text(row, "idempotency_key"),
    status: text(row, "status") as QueryStatus,
    query_kind: unlisted(text(row, "query_kind")),
    chain_selector: text(row, "chain_selector"),
    target: text(row, "target"),
    params: json<Required<QueryParams>>(row, "params"),
    metadata: row.metadata === null ? undefined : json<unknown>(row, "metadata"),
    created_at: integer(row, "created_at"),
    updated_at: integer(row, "updated_at"),
    expires_at: integer(row, "expires_at"),
    event_hash: optionalText(row, "event_hash"),
    verifiable_result: optionalText(row, "verifiable_result"),
    proof: row.proof === null ? undefined : json<OcrProof>(row, "proof"),
    ...json<Partial<Record<`${QueryStatus}_at`, number>>>(row, "times"),
  });
}
