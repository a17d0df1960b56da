import {
  type BlockSelection,
  QUERY_LIFECYCLE,
  type QueryErrorCode,
  type QueryStatus,
  type VerifiableResult,
} from "../../../src/protocol/index.ts";
import type { Block } from "../chain/chain-data.ts";
import { isRefusal } from "../chain/node/refusals.ts";
import { explainRevert } from "../chain/revert.ts";
import type { Context } from "../context.ts";
import type { Attestation } from "../oracles/network.ts";
import { runOfQuery } from "../oracles/workflows.ts";
import { messageOf } from "../problem.ts";
import type { NewQuery, StoredQuery } from "../store/queries.ts";
import type { Store } from "../store/store.ts";
import { now, rfc3339 } from "../time.ts";

/** How long a chain that does not answer is asked again before the query fails. */
const CHAIN_PATIENCE_MS = 5000;
const AGAIN_MS = 250;

type Data = VerifiableResult["data"];
type Result = { returned: string } | { error: NonNullable<Data["error"]> };
type Outcome = { resolved?: Block } & Result;

/** Answers queries: `accepted → sending → sent → completed | failed`. Reading twice does no harm, so a restart begins again. */
export class QueryRunner {
  readonly #context: Context;
  readonly #running = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Takes up what an earlier run left unanswered. */
  resume(): void {
    for (const id of this.#context.store.queries.withStatus("accepted", "sending", "sent")) this.#run(id);
  }

  create(query: NewQuery): StoredQuery {
    const { store } = this.#context;
    const created = store.transaction(() => {
      store.queries.create(query);
      const stored = found(store, query.query_id);
      announce(store, stored);
      return stored;
    });
    this.#run(query.query_id);
    return created;
  }

  /** Resolves when nothing is under way any more. What is unanswered waits for the next start. */
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
    // The answer to the request goes first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#stopped) return;
    // One that an earlier run left may be too late by now.
    if (isOverdue(found(store, queryId))) {
      moveQuery(store, queryId, "expired");
      return;
    }
    moveQuery(store, queryId, "sending");
    const rejection = this.#context.injected.failures.take("query");
    if (rejection === undefined) moveQuery(store, queryId, "sent");
    const query = found(store, queryId);
    const outcome =
      rejection === undefined ? await this.#ask(query) : failure("CRE_GATEWAY_REJECTED", rejection);
    if (outcome === undefined) return;
    const attestation = await this.#context.oracles.attest(statement(query, outcome), runOfQuery(query));
    moveQuery(store, queryId, "returned" in outcome ? "completed" : "failed", attestation);
  }

  /** Asks until the chain answers or our patience ends; undefined when the service stops meanwhile. */
  async #ask(query: StoredQuery): Promise<Outcome | undefined> {
    const patience = performance.now() + CHAIN_PATIENCE_MS;
    for (;;) {
      if (this.#stopped) return undefined;
      try {
        return await this.#call(query);
      } catch (error) {
        if (this.#stopped) return undefined;
        if (isRefusal(error)) return failure("INTERNAL_ERROR", messageOf(error));
        if (performance.now() > patience) return failure("CHAIN_UNAVAILABLE", "The chain does not answer.");
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
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
    // Nodes are asked by number: what they said is of this block only when it still has that number.
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
      // Not every node knows `finalized`, nor takes every number.
      if (at !== "latest" && isRefusal(error)) return undefined;
      throw error;
    }
  }
}

/** Ends queries that have not been answered in their time, some of them: how many. */
export function expireQueries({ store }: Context): number {
  const overdue = store.queries.overdue(now(), "accepted", "sending", "sent");
  for (const id of overdue) moveQuery(store, id, "expired");
  return overdue.length;
}

function isOverdue({ expires_at }: StoredQuery): boolean {
  return expires_at !== undefined && expires_at < now();
}

/** The one way a query's status changes: with its event, in one transaction. */
function moveQuery(store: Store, queryId: string, to: QueryStatus, attestation?: Attestation): void {
  store.transaction(() => {
    if (!QUERY_LIFECYCLE[found(store, queryId).status].includes(to)) return;
    store.queries.setStatus(queryId, to);
    if (attestation !== undefined) store.queries.setResult(queryId, attestation);
    announce(store, found(store, queryId), attestation);
  });
}

function announce(store: Store, query: StoredQuery, attestation?: Attestation): void {
  const payload: Record<string, unknown> = {
    query_id: query.query_id,
    status: query.status,
    target: query.target,
    chain_selector: query.chain_selector,
    timestamp: now(),
    ...(query.sending_at === undefined ? {} : runOfQuery(query)),
  };
  if (attestation !== undefined) {
    payload.event_hash = attestation.hash;
    payload.verifiable_result = attestation.text;
  }
  store.events.append({
    channelId: query.channel_id,
    type: "query.status",
    payload,
    proof: attestation?.proof,
  });
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

function found(store: Store, queryId: string): StoredQuery {
  const query = store.queries.get(queryId);
  if (query === undefined) throw new Error(`There is no query ${queryId}.`);
  return query;
}
