import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type BlockSelection,
  LIMITS,
  QUERY_LIFECYCLE,
  type QueryErrorCode,
  type VerifiableResult,
} from "../../../src/protocol/index.ts";
import { conflict } from "../api-error.ts";
import type { Block } from "../chain/chain-data.ts";
import { isRefusal } from "../chain/node/refusals.ts";
import { explainRevert } from "../chain/revert.ts";
import type { Context } from "../context.ts";
import { runOfQuery } from "../oracles/workflows.ts";
import { messageOf } from "../problem.ts";
import type { NewQuery, StoredQuery } from "../store/queries.ts";
import { now, rfc3339 } from "../time.ts";
import { StatusMachine } from "./status-machine.ts";

/** How long an unreachable chain is asked again before the query fails. */
const CHAIN_TIMEOUT_MS = 5000;
const RETRY_MS = 250;

type Data = VerifiableResult["data"];
type Result = { returned: string } | { error: NonNullable<Data["error"]> };
type Outcome = { resolved?: Block } & Result;

/** A query as a request asks for it. */
export type QueryRequest = Omit<NewQuery, "query_id" | "expiresAt">;

const statuses = new StatusMachine({
  eventType: "query.status",
  lifecycle: QUERY_LIFECYCLE,
  get: (store, id) => store.queries.get(id),
  setStatus: (store, id, to, { attestation }) => {
    store.queries.setStatus(id, to);
    if (attestation !== undefined) store.queries.setResult(id, attestation);
  },
  eventOf: (query: StoredQuery, { attestation }) => ({
    channelId: query.channel_id,
    payload: {
      query_id: query.query_id,
      status: query.status,
      target: query.target,
      chain_selector: query.chain_selector,
      timestamp: now(),
      ...(query.sending_at === undefined ? {} : runOfQuery(query)),
      ...(attestation === undefined
        ? {}
        : { event_hash: attestation.hash, verifiable_result: attestation.text }),
    },
  }),
});

/** Answers queries: `accepted → sending → sent → completed | failed`. After a restart, unanswered queries are answered from the start. */
export class QueryRunner {
  readonly #context: Context;
  readonly #ttlSeconds: number;
  readonly #running = new Map<string, Promise<void>>();
  #stopped = false;

  /** `ttlSeconds` is how long a query may stay unanswered. */
  constructor(context: Context, { ttlSeconds = LIMITS.queryTtlSeconds }: { ttlSeconds?: number } = {}) {
    this.#context = context;
    this.#ttlSeconds = ttlSeconds;
  }

  /** Continues with the queries that an earlier run left unanswered. */
  resume(): void {
    for (const id of this.#context.store.queries.withStatus("accepted", "sending", "sent")) this.#run(id);
  }

  /**
   * Creates a query and begins to answer it. A request that was made before with the same key is answered with its query.
   *
   * @throws ApiError 409 `IDEMPOTENCY_KEY_MISMATCH` when the key belongs to another request.
   */
  create(request: QueryRequest): { query: StoredQuery; isNew: boolean } {
    const { store } = this.#context;
    const known = store.queries.withKey(request.channel_id, request.idempotencyKey);
    if (known !== undefined) {
      refuseOtherRequest(known, request);
      return { query: known, isNew: false };
    }
    const query_id = randomUUID();
    const query = statuses.create(store, () => {
      store.queries.create({ ...request, query_id, expiresAt: now() + this.#ttlSeconds });
      return query_id;
    });
    this.#run(query_id);
    return { query, isNew: true };
  }

  /** Resolves when no query runs any more. Unanswered queries wait for the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running.values());
  }

  #run(queryId: string): void {
    const run = this.#answer(queryId)
      .catch((error: unknown) => this.#context.log.warn(`Query ${queryId} is stuck: ${messageOf(error)}`))
      .finally(() => this.#running.delete(queryId));
    this.#running.set(queryId, run);
  }

  async #answer(queryId: string): Promise<void> {
    const { store } = this.#context;
    // The answer to the request is sent first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#stopped) return;
    // A query of an earlier run may have expired.
    if (isOverdue(statuses.find(store, queryId))) {
      statuses.move(store, queryId, "expired");
      return;
    }
    statuses.move(store, queryId, "sending");
    const rejection = this.#context.injected.failures.take("query");
    if (rejection === undefined) statuses.move(store, queryId, "sent");
    const query = statuses.find(store, queryId);
    const outcome =
      rejection === undefined ? await this.#ask(query) : failure("CRE_GATEWAY_REJECTED", rejection);
    if (outcome === undefined) return;
    const attestation = await this.#context.oracles.attest(statement(query, outcome), runOfQuery(query));
    statuses.move(store, queryId, "returned" in outcome ? "completed" : "failed", { attestation });
  }

  /** Asks until the chain answers or the time-out has passed; undefined when the service stops meanwhile. */
  async #ask(query: StoredQuery): Promise<Outcome | undefined> {
    const end = performance.now() + CHAIN_TIMEOUT_MS;
    for (;;) {
      if (this.#stopped) return undefined;
      try {
        return await this.#call(query);
      } catch (error) {
        if (this.#stopped) return undefined;
        if (isRefusal(error)) return failure("INTERNAL_ERROR", messageOf(error));
        if (performance.now() > end) return failure("CHAIN_UNAVAILABLE", "The chain does not answer.");
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #call({ params }: StoredQuery): Promise<Outcome> {
    const { chain } = this.#context;
    const resolved = await this.#resolve(params.block_selection);
    if (resolved === undefined) {
      return failure(
        "BLOCK_SELECTION_NOT_AVAILABLE",
        "The chain has no such block, or does not keep its state any more.",
      );
    }
    const result = await this.#callAt(params, resolved.number);
    // Nodes are asked by number: the answer is for this block only if it still has that number.
    if ((await chain.block(resolved.number))?.hash !== resolved.hash) {
      throw new Error("the chain replaced the block while it was asked");
    }
    return { resolved, ...result };
  }

  async #callAt(params: StoredQuery["params"], block: number): Promise<Result> {
    const { chain } = this.#context;
    let code: string;
    try {
      code = await chain.code(params.contract_address, block);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return failure(
        "BLOCK_SELECTION_NOT_AVAILABLE",
        "The chain does not keep the state of this block any more.",
      );
    }
    if (code === "0x") {
      return failure("CONTRACT_NOT_FOUND", `There is no contract at ${params.contract_address}.`);
    }
    const answer = await chain.call(
      { from: params.from_address, to: params.contract_address, data: params.call_data as `0x${string}` },
      block,
    );
    if ("data" in answer) return { returned: answer.data };
    const { reason } = explainRevert(answer.reverted);
    return { error: { code: "CALL_REVERTED", message: reason, raw_revert_data: answer.reverted } };
  }

  async #resolve(selection: BlockSelection): Promise<Block | undefined> {
    const at = selection.type === "block_number" ? Number(selection.block_number) : selection.type;
    if (typeof at === "number" && !Number.isSafeInteger(at)) return undefined;
    try {
      return await this.#context.chain.block(at);
    } catch (error) {
      // Not every node supports `finalized`, or accepts every number.
      if (at !== "latest" && isRefusal(error)) return undefined;
      throw error;
    }
  }
}

/** Ends some of the queries that were not answered in time, and returns how many. */
export function expireQueries({ store }: Context): number {
  const overdue = store.queries.overdue(now(), "accepted", "sending", "sent");
  for (const id of overdue) statuses.move(store, id, "expired");
  return overdue.length;
}

function isOverdue({ expires_at }: StoredQuery): boolean {
  return expires_at !== undefined && expires_at < now();
}

function refuseOtherRequest(known: StoredQuery, request: QueryRequest): void {
  if (isDeepStrictEqual(comparable(known), comparable(request))) return;
  throw conflict(
    "This idempotency_key belongs to another query of the channel. Take a new key for a new query.",
    "IDEMPOTENCY_KEY_MISMATCH",
  );
}

/** What makes two requests the same, as JSON keeps it: there -0 is 0, and infinity is null. */
function comparable({ query_kind, chain_selector, params, metadata }: QueryRequest): unknown {
  return JSON.parse(JSON.stringify({ query_kind, chain_selector, params, metadata }));
}

function statement(query: StoredQuery, outcome: Outcome): VerifiableResult {
  const { resolved } = outcome;
  const { block_selection, ...target } = query.params;
  return {
    service: "_crec",
    name: "ChainQuery",
    chain_selector: query.chain_selector,
    timestamp: rfc3339(now()),
    data: {
      query_id: query.query_id,
      channel_id: query.channel_id,
      query_kind: query.query_kind,
      target: {
        from_address: target.from_address,
        contract_address: target.contract_address,
        call_data: target.call_data,
      },
      block_selection: {
        requested: block_selection,
        ...(resolved === undefined
          ? {}
          : {
              resolved: {
                block_number: String(resolved.number),
                block_hash: resolved.hash,
                block_timestamp: resolved.timestamp,
              },
            }),
      },
      ...("returned" in outcome
        ? { result: { raw_return_data: outcome.returned } }
        : { error: outcome.error }),
    },
  };
}

function failure(code: QueryErrorCode, message: string): { error: NonNullable<Data["error"]> } {
  return { error: { code, message } };
}
