import { randomUUID } from "node:crypto";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { HttpDispatcher, OutgoingRequest } from "../../../src/http/socket-pool.ts";
import type { Query, Verifier } from "../../../src/index.ts";
import type { ChildHost } from "../host.ts";
import { currentTask, notTried, whatItIs } from "./not-tried.ts";
import { answerOf } from "./snapshot.ts";

/** Where the paths of the REST service begin, whatever the base URL has before them. */
const PATH = /\/(?:health-check|networks|wallets|channels)(?=[/?]|$).*/;

type Response = Awaited<ReturnType<HttpDispatcher["request"]>>;

/**
 * Answers what the snapshot and the events so far can answer. Nothing else is sent: it is noted at the work of the node,
 * and ends with the error `NOT_TRIED`.
 */
export function rehearsalDispatcher(host: ChildHost, history: QueryHistory): HttpDispatcher {
  return {
    request: async (outgoing): Promise<Response> => {
      const { method } = outgoing;
      const [path = "", query = ""] = (PATH.exec(outgoing.path)?.[0] ?? outgoing.path).split("?");
      const body = bodyOf(outgoing);
      const asked = await history.answer(method, path, body);
      if (asked) return response(method === "POST" ? 201 : 200, asked);
      if (method === "GET") {
        const answer = answerOf(host, await loadLibrary(), path, new URLSearchParams(query));
        if (answer && "data" in answer) return response(200, answer.data);
        if (answer) return response(404, { type: answer.code, message: "It is not in the rehearsal." });
      }
      throw await notTried(whatItIs({ method, path, query, body }));
    },
  };
}

function response(statusCode: number, data: unknown): Response {
  const text = JSON.stringify(data);
  return { statusCode, headers: { "content-type": "application/json" }, body: { text: async () => text } };
}

function bodyOf({ body }: OutgoingRequest): Record<string, unknown> | undefined {
  return body === undefined ? undefined : (JSON.parse(body) as Record<string, unknown>);
}

type Body = {
  chain_selector: string;
  params: { contract_address: string; call_data?: string; from_address?: string };
};

const QUERIES = /^\/channels\/([^/]+)\/queries(?:\/([^/]+))?$/;

/** Queries that the parent has asked today, as the service would show them. */
export type QueryHistory = {
  /** Undefined for all that is no query, and where the person did not choose it. @throws NOT_TRIED where the call fails */
  answer(
    method: string,
    path: string,
    body: Record<string, unknown> | undefined,
  ): Promise<object | undefined>;
  /** The same verifier, that takes these answers as they are: nothing proves them, and their messages say so. */
  trusting(verifier: Verifier): Verifier;
};

export function queryHistory(host: ChildHost): QueryHistory {
  const answered = new Map<string, object>();
  const ask = async (channelId: string, path: string, body: Record<string, unknown>): Promise<object> => {
    const { chain_selector: chainSelector, params } = body as unknown as Body;
    const { contract_address: to, call_data: data = "0x", from_address: from } = params;
    const answer = await host.ask({ ...{ channelId, chainSelector, to, data }, ...(from ? { from } : {}) });
    const what = whatItIs({ method: "POST", path, query: "", body });
    const asked = { ...what, request: { ...what.request, today: true, answer } };
    if ("error" in answer) throw await notTried(asked);
    const task = currentTask();
    task?.notTried.push(asked);
    if (task) task.hasLiveAnswer = true;
    const query = completed(channelId, body as unknown as Body, answer);
    answered.set(query.query_id, query);
    return query;
  };
  return {
    answer: async (method, path, body) => {
      const [, channelId, queryId] = QUERIES.exec(path) ?? [];
      if (channelId === undefined || !host.job.askQueries) return undefined;
      if (queryId !== undefined) return method === "GET" ? answered.get(queryId) : undefined;
      return method === "POST" && body ? ask(channelId, path, body) : undefined;
    },
    trusting: (verifier) => ({
      ...{ verify: verifier.verify.bind(verifier), verifyAll: verifier.verifyAll.bind(verifier) },
      verifyQuery: async (query, options) =>
        answered.has(query.query_id)
          ? { verified: true, signers: [], workflowId: "" }
          : verifier.verifyQuery(query, options),
    }),
  };
}

function completed(
  channelId: string,
  { chain_selector, params }: Body,
  { block, result }: { block?: string; result: string },
): Partial<Query> & { query_id: string } {
  const now = Math.floor(Date.now() / 1000);
  const resolved = { block_number: block ?? "0", block_hash: `0x${"0".repeat(64)}`, block_timestamp: now };
  const signed = {
    data: { block_selection: block === undefined ? {} : { resolved }, result: { raw_return_data: result } },
  };
  return {
    ...{ query_id: randomUUID(), channel_id: channelId, status: "completed", query_kind: "evm_call" },
    ...{ chain_selector, target: params.contract_address, created_at: now, updated_at: now },
    verifiable_result: Buffer.from(JSON.stringify(signed)).toString("base64"),
  };
}
