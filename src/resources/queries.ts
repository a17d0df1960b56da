import { type Abi, decodeRevert } from "../abi/index.ts";
import { type CallOptions, callOptions, type Transport } from "../http/index.ts";
import { anyText, listOf, optional, request, text } from "../options/index.ts";
import { decodeQuery } from "../proofs/index.ts";
import {
  canonicalAddress,
  type Open,
  PAGE_LIMITS,
  QUERY_LIFECYCLE,
  type Query,
  type QueryStatus,
} from "../protocol/index.ts";
import type { Events } from "./events.ts";
import { type Listing, listing, listingOf } from "./lists/pages.ts";
import { addressOf, requireAnswerTo } from "./requests/answer-to.ts";
import { paging, pathId, resourceOf } from "./requests/checks.ts";
import { type CreatedQuery, type CreateQuery, queryRequest } from "./requests/query-request.ts";
import { queryEvents } from "./requests/search-filter.ts";
import {
  answerOf,
  callFunction,
  type FunctionAnswer,
  type FunctionQuery,
  type FunctionQueryOptions,
  type QueryAnswer,
  type QueryResumeOptions,
  type QueryRunOptions,
  type QueryWaitOptions,
  queryResumeOptions,
  queryRunOptions,
  queryWaitOptions,
  runQuery,
} from "./waits/query-run.ts";
import { readStatusEvents } from "./waits/status-events.ts";
import { waitForStatus } from "./waits/wait.ts";

/** Filters of a list of queries. */
export type ListQueries = {
  /** One of these statuses. */
  status?: ReadonlyArray<Open<QueryStatus>> | undefined;
  /** One of these kinds, such as `evm_call`. */
  query_kind?: readonly string[] | undefined;
  /** The network of the contract. */
  chain_selector?: string | undefined;
  /** All main networks, or all test networks. */
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  /**
   * The size of a page, at most 100.
   * @default 20
   */
  limit?: number | undefined;
  /**
   * How many items to skip.
   * @default 0
   */
  offset?: number | undefined;
};

/** The queries of a channel: calls of contracts that change nothing, answered with a proof. */
export class Queries {
  readonly #transport: Transport;
  readonly #events: Events;

  constructor(transport: Transport, events: Events) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Creates a query. After a lost answer it is sent again, which is safe by its idempotency key.
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
    const body = queryRequest(query);
    const call = { ...callOptions(options), method: "POST", path, body, idempotent: true } as const;
    const created = resourceOf<CreatedQuery & Partial<Query>>(
      await this.#transport.request(call),
      "query_id",
    );
    requireAnswerTo("query", [
      ["network", created.chain_selector, body.chain_selector],
      ["contract", addressOf(created.target), canonicalAddress(body.params.contract_address)],
    ]);
    return created;
  }

  /** The query as the service shows it now. @throws {NotFoundError} `QUERY_NOT_FOUND`. */
  async get(channelId: string, queryId: string, options?: CallOptions): Promise<Query> {
    const path = queryPath(channelId, queryId);
    return resourceOf(await this.#transport.get(path, {}, options), "query_id", queryId);
  }

  /**
   * The queries of a channel.
   * @example
   * const { data: queries } = await client.queries.list(channelId, { status: ["completed"] });
   */
  list(channelId: string, filter: ListQueries = {}, options?: CallOptions): Listing<Query> {
    return listingOf(() =>
      listing({
        noun: "query",
        filter: filterOf(filter, "filter"),
        limits: PAGE_LIMITS.queries,
        get: (query) => this.#transport.get(queriesPath(channelId), query, options),
      }),
    );
  }

  /**
   * Runs a call of a contract: creates the query, waits for its answer, and with a `verifier` checks the proof against
   * the query. `call` does the same by the contract's ABI.
   * @throws {ArgumentError} `INVALID_ARGUMENT`; {WaitError} as `waitFor`; {QueryNotVerifiedError} `QUERY_NOT_VERIFIED`.
   * @example
   * const { data: countData } = await client.queries.run(
   *   channelId,
   *   {
   *     chain_selector: network,
   *     params: {
   *       contract_address: counter,
   *       call_data: encodeFunctionCall({ abi, function: "countOf", args: [wallet.address] }).data,
   *       block_selection: { type: "latest" },
   *     },
   *   },
   *   { verifier, onStatus: ({ status }) => show(status) },
   * );
   */
  async run(channelId: string, query: CreateQuery, options?: QueryRunOptions): Promise<QueryAnswer> {
    const running = queryRunOptions(options);
    const calls = {
      create: (request: CreateQuery, call: CallOptions) => this.create(channelId, request, call),
      waitFor: (queryId: string, waiting: QueryWaitOptions) => this.waitFor(channelId, queryId, waiting),
    };
    return runQuery(calls, channelId, query, running);
  }

  /**
   * Continues a `run` that was interrupted after its query was created, also in another process.
   * @param query as it was created: the proof is checked against it
   * @throws as `run`.
   */
  async resume(
    channelId: string,
    queryId: string,
    query: CreateQuery,
    options?: QueryResumeOptions,
  ): Promise<QueryAnswer> {
    queryPath(channelId, queryId);
    queryRequest(query);
    const resuming = queryResumeOptions(options);
    const waitFor = (id: string, waiting: QueryWaitOptions) => this.waitFor(channelId, id, waiting);
    return answerOf({ waitFor }, channelId, { queryId, question: query }, resuming);
  }

  /**
   * Calls a function of a contract and decodes its answer: encodes the call by the ABI, and then as `run`.
   * @throws {ArgumentError} `INVALID_ARGUMENT`, `FUNCTION_NOT_IN_ABI`; {CrecError} `RESULT_UNREADABLE`; as `run`.
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
    options?: FunctionQueryOptions,
  ): Promise<FunctionAnswer> {
    const calling = queryRunOptions(options);
    const run = (query: CreateQuery, running: QueryRunOptions) => this.run(channelId, query, running);
    return callFunction(run, question, calling);
  }

  /**
   * Waits until the query is completed, or has reached the given target. Verify it before you use its result.
   * @throws {WaitError} `WAIT_TIMEOUT`, `QUERY_FAILED`, `QUERY_EXPIRED`, its `reason` beginning with the error's code.
   */
  async waitFor(channelId: string, queryId: string, options?: QueryWaitOptions): Promise<Query> {
    queryPath(channelId, queryId);
    const { target = "completed", abi, ...waiting } = queryWaitOptions(options);
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

const filterOf = request<ListQueries>({
  status: optional(listOf(anyText())),
  query_kind: optional(listOf(text)),
  chain_selector: optional(text),
  chain_environment: optional(anyText()),
  ...paging(PAGE_LIMITS.queries),
});

/** What the signed error says; without one, the code that stands for its status. */
function failureReason(query: Query, abi: Abi | undefined): string {
  const error = query.verifiable_result ? decodeQuery(query).error : undefined;
  if (!error) {
    return query.status === "expired"
      ? "QUERY_EXPIRED: it was not answered in time"
      : "CRE_WORKFLOW_FAILED: it could not be processed";
  }
  const { code, message, data } = error;
  const reverted = data ? decodeRevert({ data, ...(abi ? { abi } : {}) }) : "";
  const isSaid = reverted === "" || message === reverted || message.endsWith(`: ${reverted}`);
  return `${code}: ${message}${isSaid ? "" : ` (${reverted})`}`;
}

function queriesPath(channelId: string): string {
  return `/channels/${pathId("channelId", channelId)}/queries`;
}

function queryPath(channelId: string, queryId: string): string {
  return `${queriesPath(channelId)}/${pathId("queryId", queryId)}`;
}
