import { isDeepStrictEqual } from "node:util";
import {
  type BlockSelection,
  LIMITS,
  QUERY_LIFECYCLE,
  type QueryErrorCode,
} from "../../../src/protocol/index.ts";
import { type CallAnswer, queryStatement } from "../../../src/testing/statements.ts";
import type { Block } from "../chain/chain-data.ts";
import { isMissingState, isOtherRefusal, isRefusal, NoNewestBlock } from "../chain/node/refusals.ts";
import { explainFailure } from "../chain/revert.ts";
import type { Context } from "../context.ts";
import { conflict, messageOf } from "../errors.ts";
import { runOfQuery } from "../oracles/workflows.ts";
import type { NewQuery, StoredQuery } from "../store/queries.ts";
import { now } from "../time.ts";
import { Retries } from "./retries.ts";
import { StatusMachine } from "./status-machine.ts";

/** How long a chain that is unreachable or replaces its blocks is asked again before the query fails. */
const CHAIN_TIMEOUT_MS = 5000;
const RETRY_MS = 250;
/** Every node keeps the state of so many blocks: a newer one without state is not there yet, or was replaced. */
const NEW_BLOCKS = 64;

/** What a query keeps from one attempt to the next: a rejection that a tester asked for is taken once. */
type Dispatch = { isTaken: boolean; rejection?: string | undefined };

/** A query as a request asks for it. */
type QueryRequest = Omit<NewQuery, "query_id" | "expiresAt">;

/** What a call returned, or why not. */
type Result = CallAnswer;
/** The same, with the block that it is about where there is one. */
type Outcome = { resolved?: Block } & Result;

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

/**
 * Answers queries: `accepted → sending → sent → completed | failed`. After a restart, unanswered queries are answered from
 * the start. So is one whose step could not be stored, after a pause, until its time to live ends.
 */
export class QueryRunner {
  readonly #context: Context;
  readonly #ttlSeconds: number;
  readonly #running = new Map<string, Promise<void>>();
  readonly #retries: Retries;

  /** `ttlSeconds` is how long a query may stay unanswered. */
  constructor(context: Context, { ttlSeconds = LIMITS.queryTtlSeconds }: { ttlSeconds?: number } = {}) {
    this.#context = context;
    this.#retries = new Retries(context.log);
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
    const query_id = store.ids.next("queries");
    const query = statuses.create(store, () => {
      store.queries.create({ ...request, query_id, expiresAt: now() + this.#ttlSeconds });
      return query_id;
    });
    this.#run(query_id);
    return { query, isNew: true };
  }

  /** Resolves when no query runs any more. Unanswered queries wait for the next start. */
  async stop(): Promise<void> {
    this.#retries.stop();
    await Promise.all(this.#running.values());
  }

  #run(queryId: string): void {
    const dispatch: Dispatch = { isTaken: false };
    const end = now() + this.#ttlSeconds;
    // One that is overdue is left to `expireQueries`, which is called again and again.
    const run = this.#retries.untilDone(
      `query ${queryId}`,
      () => this.#answer(queryId, dispatch),
      () => now() > end,
    );
    this.#running.set(
      queryId,
      run.finally(() => this.#running.delete(queryId)),
    );
  }

  async #answer(queryId: string, dispatch: Dispatch): Promise<void> {
    const { store, injected } = this.#context;
    // The answer to the request is sent first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#retries.isStopped) return;
    // A query of an earlier run may have expired.
    if (isOverdue(statuses.find(store, queryId))) {
      statuses.move(store, queryId, "expired");
      return;
    }
    statuses.move(store, queryId, "sending");
    if (!dispatch.isTaken) dispatch.rejection = injected.failures.take("query");
    dispatch.isTaken = true;
    const { rejection } = dispatch;
    if (rejection === undefined) statuses.move(store, queryId, "sent");
    const query = statuses.find(store, queryId);
    const outcome =
      rejection === undefined ? await this.#ask(query) : failure("CRE_GATEWAY_REJECTED", rejection);
    if (outcome === undefined) return;
    const statement = queryStatement(query, outcome, now());
    const attestation = await this.#context.oracles.attest(statement, runOfQuery(query));
    statuses.move(store, queryId, "returned" in outcome ? "completed" : "failed", { attestation });
  }

  /** Asks until the chain answers or the time-out has passed; undefined when the service stops meanwhile. */
  async #ask(query: StoredQuery): Promise<Outcome | undefined> {
    const end = performance.now() + CHAIN_TIMEOUT_MS;
    for (;;) {
      if (this.#retries.isStopped) return undefined;
      try {
        return await this.#call(query);
      } catch (error) {
        if (this.#retries.isStopped) return undefined;
        if (isOtherRefusal(error)) return failure("INTERNAL_ERROR", messageOf(error));
        if (performance.now() > end) return outOfTime(query, error);
        await this.#retries.pause(RETRY_MS);
      }
    }
  }

  /** @throws what is asked again: also where the chain has no state of a block that is new. */
  async #call(query: StoredQuery): Promise<Outcome> {
    const { chain } = this.#context;
    const resolved = await this.#resolve(query.params.block_selection);
    if (resolved === undefined) return unavailable();
    const result = await this.#callAt(query, resolved.number).catch(async (error: unknown) => {
      if (!isMissingState(error) || (await this.#isNew(resolved))) throw error;
      return unavailable();
    });
    // Nodes are asked by number: the answer is for this block only if it still has that number.
    if ((await chain.block(resolved.number))?.hash !== resolved.hash) {
      throw new Error("the chain replaced the block while it was asked");
    }
    return { resolved, ...result };
  }

  async #callAt(query: StoredQuery, block: number): Promise<Result> {
    const { chain } = this.#context;
    const { params } = query;
    const code = await chain.code(params.contract_address, block).catch((error: unknown) => {
      // A node may have words of its own for an old block.
      if (!isNumbered(query) || !isOtherRefusal(error)) throw error;
      return undefined;
    });
    if (code === undefined) return unavailable();
    if (code === "0x") {
      return failure("CONTRACT_NOT_FOUND", `There is no contract at ${params.contract_address}.`);
    }
    const answer = await chain.call(
      { from: params.from_address, to: params.contract_address, data: params.call_data as `0x${string}` },
      block,
    );
    if ("data" in answer) return { returned: answer.data };
    const { reverted } = answer;
    const { reason } = explainFailure(answer);
    const data = reverted === undefined ? {} : { raw_revert_data: reverted };
    return { error: { code: "CALL_REVERTED", message: reason, ...data } };
  }

  /** Whether the chain is so close to this block that it has to have its state, or soon will. */
  async #isNew({ number }: Block): Promise<boolean> {
    const latest = await this.#context.chain.block("latest");
    return latest === undefined || number > latest.number - NEW_BLOCKS;
  }

  /** The block to ask at; undefined where the chain has none. */
  async #resolve(selection: BlockSelection): Promise<Block | undefined> {
    const at = selection.type === "block_number" ? Number(selection.block_number) : selection.type;
    if (typeof at === "number" && !Number.isSafeInteger(at)) return undefined;
    try {
      const found = await this.#context.chain.block(at);
      if (found === undefined && typeof at !== "number") throw new NoNewestBlock();
      return found;
    } catch (error) {
      // Not every node supports `finalized`, or accepts every number.
      const isPassing = typeof at !== "number" && isMissingState(error);
      if (at !== "latest" && isRefusal(error) && !isPassing) return undefined;
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

/** Whether it asks at a block by number, which is then the only one to ask at. */
function isNumbered({ params }: StoredQuery): boolean {
  return params.block_selection.type === "block_number";
}

function unavailable() {
  return failure(
    "BLOCK_SELECTION_NOT_AVAILABLE",
    "The chain has no such block, or does not keep its state any more.",
  );
}

/** What a query ends with when its last attempt failed with this error. */
function outOfTime(query: StoredQuery, error: unknown): Outcome {
  const { type } = query.params.block_selection;
  // A node that never finalizes answers that it has no such block.
  const hasNone = type === "finalized" && error instanceof NoNewestBlock;
  if (hasNone || (isNumbered(query) && isMissingState(error))) return unavailable();
  return failure(
    "CHAIN_UNAVAILABLE",
    isMissingState(error)
      ? `The node has not had the ${type} block for ${CHAIN_TIMEOUT_MS / 1000} s (${messageOf(error)}). Ask again.`
      : "The chain does not answer.",
  );
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

function failure(code: QueryErrorCode, message: string): Extract<Result, { error: unknown }> {
  return { error: { code, message } };
}
