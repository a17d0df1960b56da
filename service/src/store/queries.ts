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
import type { Page, PageRequest } from "./lists.ts";
import { Conditions, defined, integer, json, optionalText, type Row, text } from "./rows.ts";
import { type Shared, shownStatuses, Table } from "./table.ts";

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

export class Queries extends Table<StoredQuery> {
  constructor(shared: Shared) {
    super(shared, "queries", "query_id", toQuery);
  }

  create({ idempotencyKey, expiresAt, metadata, ...query }: NewQuery): void {
    const time = now();
    this.insert({
      ...query,
      ...{ idempotency_key: idempotencyKey, status: "accepted", target: query.params.contract_address },
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      ...{ created_at: time, updated_at: time, expires_at: expiresAt, times: { accepted_at: time } },
    });
  }

  withKey(channelId: string, idempotencyKey: string): StoredQuery | undefined {
    return this.find("channel_id = ? AND idempotency_key = ?", channelId, idempotencyKey);
  }

  /** Ids of queries with these statuses, oldest first. */
  withStatus(...status: QueryStatus[]): string[] {
    return this.idsOf(new Conditions().oneOf("status", status));
  }

  /** Ids of queries that expired before `time`, at most fifty of each status. */
  overdue(time: number, ...status: QueryStatus[]): string[] {
    return status.flatMap((one) => {
      const conditions = new Conditions().equal("status", one).add("expires_at < ?", time);
      return this.idsOf(conditions, "expires_at", MAX_OVERDUE);
    });
  }

  list(filter: QueryFilter): Promise<Page<StoredQuery>> {
    return this.page(
      {
        step: -1,
        indexed: [{ channel_id: filter.channelId, status: shownStatuses(filter.status, QUERY_STATUSES) }],
        conditions: new Conditions()
          .oneOf("query_kind", filter.queryKind)
          .equal("chain_selector", filter.chainSelector),
      },
      filter,
    );
  }

  setStatus(queryId: string, status: QueryStatus): void {
    const time = now();
    this.database
      .prepare(
        "UPDATE queries SET status = ?, updated_at = ?, times = json_set(times, ?, ?) WHERE query_id = ?",
      )
      .run(status, time, `$.${status}_at`, time, queryId);
  }

  setResult(queryId: string, { text, hash, proof }: { text: string; hash: Hex; proof: OcrProof }): void {
    this.change(queryId, { verifiable_result: text, event_hash: hash, proof });
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
