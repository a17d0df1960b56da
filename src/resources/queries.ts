import { randomUUID } from "node:crypto";
import { type Abi, callData, decodeRevert } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import type { CallOptions, Transport } from "../http/index.ts";
import { decodeQuery } from "../proofs/index.ts";
import {
  type BlockSelection,
  LIMITS,
  type Open,
  PAGE_LIMITS,
  QUERY_LIFECYCLE,
  type Query,
  type QueryParams,
  type QueryStatus,
} from "../protocol/index.ts";
import { resourceOf } from "./answers.ts";
import { checkAddress, checkSelector, pathId } from "./checks.ts";
import type { Events } from "./events.ts";
import { type Listing, listing } from "./pages.ts";
import {
  callFunction,
  type FunctionAnswer,
  type FunctionQuery,
  type FunctionQueryOptions,
} from "./query-call.ts";
import { queryEvents } from "./search-by-id.ts";
import { readStatusEvents } from "./status-events.ts";
import { type WaitOptions, waitForStatus } from "./wait.ts";

export type CreateQuery = {
  chain_selector: string;
  /** The call, and the block to read at. */
  params: QueryParams;
  /** Names this one query, so that it is asked once however often it is sent. Default: a random UUID. */
  idempotency_key?: string | undefined;
  /** At most 16 KB of JSON. */
  metadata?: Record<string, unknown> | undefined;
};
export type CreatedQuery = { query_id: string; status: Open<QueryStatus> };

export type ListQueries = {
  status?: ReadonlyArray<Open<QueryStatus>> | undefined;
  query_kind?: readonly string[] | undefined;
  chain_selector?: string | undefined;
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
};

export type QueryWaitOptions = Omit<WaitOptions<QueryStatus, Query>, "target"> & {
  /** Default: `completed`. */
  target?: QueryStatus | undefined;
  /** With the contract's ABI its own errors are named, too. */
  abi?: Abi | undefined;
};

export class Queries {
  readonly #transport: Transport;
  readonly #events: Events;

  constructor(transport: Transport, events: Events) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Repeated safely after a lost answer, thanks to its idempotency key.
   * @example
   * const { query_id } = await client.queries.create(channelId, {
   *   chain_selector: network,
   *   params: {
   *     contract_address: counter,
   *     call_data: encodeFunctionCall({ abi, function: "countOf", args: [wallet.address] }).data,
   *     block_selection: { type: "finalized" },
   *   },
   * });
   * const query = await client.queries.waitFor(channelId, query_id);
   * decodeQuery(query).status; // → "completed"
   */
  async create(channelId: string, query: CreateQuery, options?: CallOptions): Promise<CreatedQuery> {
    const path = queriesPath(channelId);
    const body = {
      query_kind: "evm_call",
      ...query,
      idempotency_key: query.idempotency_key ?? randomUUID(),
      params: checkedParams(query.params),
    };
    checkSelector(query.chain_selector);
    checkKeyAndMetadata(body);
    const call = { ...options, method: "POST", path, body, idempotent: true } as const;
    return resourceOf(await this.#transport.request(call), "query_id");
  }

  async get(channelId: string, queryId: string, options?: CallOptions): Promise<Query> {
    const path = queryPath(channelId, queryId);
    return resourceOf(await this.#transport.get(path, {}, options), "query_id", queryId);
  }

  list(channelId: string, filter: ListQueries = {}, options?: CallOptions): Listing<Query> {
    return listing({
      noun: "query",
      filter,
      limits: PAGE_LIMITS.queries,
      get: (query) => this.#transport.get(queriesPath(channelId), query, options),
    });
  }

  /**
   * Asks a function of a contract and gives its decoded answer: creates the query, waits for it, and with a
   * `verifier` checks the proof against the question.
   * @throws {ArgumentError} `INVALID_ARGUMENT`, `FUNCTION_NOT_IN_ABI`; {WaitError} as `waitFor`; {CrecError}
   * `QUERY_NOT_VERIFIED`, `RESULT_UNREADABLE`.
   * @example
   * const { value, block } = await client.queries.call(
   *   channelId,
   *   { chain_selector: network, address: counter, abi, function: "countOf", args: [wallet.address] },
   *   { verifier },
   * );
   */
  async call(
    channelId: string,
    question: FunctionQuery,
    options: FunctionQueryOptions = {},
  ): Promise<FunctionAnswer> {
    return callFunction(this, channelId, question, options);
  }

  /**
   * The query once it is completed, or the target given. Verify it before its result is used.
   * @throws {WaitError} `WAIT_TIMEOUT`, `QUERY_FAILED`, `QUERY_EXPIRED`, its `reason` beginning with the error's code.
   */
  async waitFor(channelId: string, queryId: string, options: QueryWaitOptions = {}): Promise<Query> {
    const { target = "completed", abi, ...waiting } = options;
    return waitForStatus(
      {
        noun: "query",
        id: queryId,
        lifecycle: QUERY_LIFECYCLE,
        get: (signal) => this.get(channelId, queryId, { signal }),
        events: (query, signal) =>
          readStatusEvents(this.#events, { channelId, filter: queryEvents(query) }, { signal }),
        reason: async (query) => failureReason(query, abi),
        closing: this.#transport.closing,
      },
      { ...waiting, target },
    );
  }
}

/** What the signed error says; without one, the code that stands for its status. */
function failureReason(query: Query, abi: Abi | undefined): string {
  const error = query.verifiable_result ? decodeQuery(query).error : undefined;
  if (!error) {
    return query.status === "expired"
      ? "QUERY_EXPIRED: nobody answered it in time"
      : "CRE_WORKFLOW_FAILED: it could not be processed";
  }
  const reverted = error.data ? ` (${decodeRevert({ data: error.data, ...(abi ? { abi } : {}) })})` : "";
  return `${error.code}: ${error.message}${reverted}`;
}

function queriesPath(channelId: string): string {
  return `/channels/${pathId("channelId", channelId)}/queries`;
}

function queryPath(channelId: string, queryId: string): string {
  return `${queriesPath(channelId)}/${pathId("queryId", queryId)}`;
}

function checkedParams(params: QueryParams): QueryParams {
  checkAddress("params.contract_address", params.contract_address);
  if (params.from_address !== undefined) checkAddress("params.from_address", params.from_address);
  checkBlock(params.block_selection);
  return { ...params, call_data: callData(params.call_data, "params.call_data") };
}

function checkBlock(selection: BlockSelection): void {
  if (selection?.type === "latest" || selection?.type === "finalized") return;
  if (selection?.type === "block_number" && /^\d{1,78}$/.test(selection.block_number)) return;
  const message = "The block must be latest, finalized, or a block number as decimal digits.";
  throw new ArgumentError("params.block_selection", message);
}

function checkKeyAndMetadata({
  idempotency_key,
  metadata,
}: {
  idempotency_key: string;
  metadata?: object | undefined;
}): void {
  const length = typeof idempotency_key === "string" ? idempotency_key.length : 0;
  if (length < 1 || length > LIMITS.idempotencyKeyLength) {
    const message = `idempotency_key must have 1 to ${LIMITS.idempotencyKeyLength} characters.`;
    throw new ArgumentError("idempotency_key", message);
  }
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.queryMetadataBytes) {
    throw new ArgumentError(
      "metadata",
      `metadata must be at most ${LIMITS.queryMetadataBytes} bytes of JSON.`,
    );
  }
}
