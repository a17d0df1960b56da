import { loadLibrary } from "../../../nodes/common/library.ts";
import type { HttpDispatcher, OutgoingRequest } from "../../../src/http/socket-pool.ts";
import type { ChildHost } from "../host.ts";
import { notTried } from "./not-tried.ts";
import type { QueryHistory } from "./query-history.ts";
import { answerOf } from "./snapshot.ts";
import { whatItIs } from "./what-it-is.ts";

/** Where the paths of the REST service begin, whatever the base URL has before them. */
const PATH = /\/(?:health-check|networks|wallets|channels)(?=[/?]|$).*/;

type Response = Awaited<ReturnType<HttpDispatcher["request"]>>;

/**
 * Answers what the snapshot and the events so far can answer. Nothing else is sent: it is noted at the work of the node,
 * and ends with the error `NOT_TRIED`.
 */
export function rehearsalDispatcher(host: ChildHost, today: QueryHistory): HttpDispatcher {
  return {
    request: async (outgoing): Promise<Response> => {
      const { method } = outgoing;
      const [path = "", query = ""] = (PATH.exec(outgoing.path)?.[0] ?? outgoing.path).split("?");
      const body = bodyOf(outgoing);
      const asked = await today.answer(method, path, body);
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
