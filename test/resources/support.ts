import { CrecClient, type CrecClientOptions } from "../../src/resources/index.ts";
import { KEY, sendJson, startServer } from "../http/support.ts";

export const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
export const OTHER_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
export const CHAIN = "7759470850252068959";
export const ADDRESS = "0x00000000000000000000000000000000000000AA";

export type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  headers: NodeJS.Dict<string | string[]>;
};
/** Status and body to answer with; `drop` breaks the connection once the request has been read. */
export type Reply = [status: number, body: unknown, headers?: Record<string, string>] | "drop" | "silence";

/** A service that answers as the test says, and a client for it. */
export async function startFakeService(
  reply: (asked: Asked) => Reply,
  options: Partial<CrecClientOptions> = {},
) {
  const asked: Asked[] = [];
  const server = await startServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://local");
    let text = "";
    for await (const chunk of request) text += chunk;
    const call: Asked = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      body: text === "" ? {} : JSON.parse(text),
      headers: request.headers,
    };
    asked.push(call);
    const answer = reply(call);
    if (answer === "drop") request.socket.destroy();
    else if (answer !== "silence") sendJson(response, ...answer);
  });
  const client = new CrecClient({ baseUrl: server.url, apiKey: KEY, maxAttempts: 1, ...options });
  return {
    client,
    server,
    asked,
    /** `METHOD /path` of each request. */
    calls: () => asked.map(({ method, path }) => `${method} ${path}`),
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

export function conflict(code?: string): Reply {
  return [409, { type: "CONFLICT", ...(code ? { code } : {}), message: "refused" }];
}

export function notFound(code: string): Reply {
  return [404, { type: "NOT_FOUND", code, message: "unknown" }];
}

export function page(...data: unknown[]): Reply {
  return [200, { data, has_more: false }];
}

/** How API 0.8.0 answers a search by what it cannot search for. */
export function refusedFilter({ query }: Asked): Reply | undefined {
  const refused = ["operation_id", "query_id"].find((name) => query.has(name));
  if (refused === undefined) return undefined;
  return [400, { type: "VALIDATION_ERROR", message: `${refused} is not supported` }];
}
