import { inspect } from "node:util";
import should from "should";
import { MockAgent } from "undici";
import { type RequestInfo, type ResponseInfo, Transport } from "../../src/http/index.ts";
import { CrecClient } from "../../src/index.ts";
import { errorOf, KEY, sendJson, startServer, type TestServer } from "./support.ts";

describe("the hooks of a transport", () => {
  let server: TestServer;
  let answers: Array<[status: number, body: unknown]>;

  beforeEach(async () => {
    answers = [];
    server = await startServer((_request, response) => {
      const [status, body] = answers.shift() ?? [200, { ok: true }];
      sendJson(response, status, body, { "x-request-id": "r-1", "retry-after": "0" });
    });
  });
  afterEach(() => server.close());

  it("are called for each attempt, without the key in any text", async () => {
    const requests: RequestInfo[] = [];
    const responses: ResponseInfo[] = [];
    const transport = new Transport({
      baseUrl: server.url,
      apiKey: KEY,
      onRequest: (info) => requests.push(info),
      onResponse: (info) => responses.push(info),
    });
    answers = [[503, { type: "INTERNAL_ERROR", message: "no" }]];
    const headers = { "x-copy": KEY, authorization: KEY };
    await transport.request({ method: "GET", path: "/things", query: { key: KEY }, headers });
    await transport.close();
    const url = `${server.url}/things?key=***`;
    should(requests.map(({ method, url, attempt }) => [method, url, attempt])).deepEqual([
      ["GET", url, 1],
      ["GET", url, 2],
    ]);
    should(responses.map(({ status, requestId }) => [status, requestId])).deepEqual([
      [503, "r-1"],
      [200, "r-1"],
    ]);
    should(requests[0]?.headers).match({ "x-copy": "***" });
    for (const { durationMs } of responses) should(durationMs).be.above(0);
    should(inspect([requests, responses], { depth: 9 })).not.containEql(KEY);
  });

  it("do not see a key with special characters as the address encodes it", async () => {
    const told: RequestInfo[] = [];
    const apiKey = "a b/c+d=e~f!";
    const transport = new Transport({ baseUrl: server.url, apiKey, onRequest: (info) => told.push(info) });
    await transport.get("/things", { key: apiKey });
    await transport.get(`/things/${encodeURIComponent(apiKey)}`);
    await transport.close();
    should(told.map(({ url }) => url)).deepEqual([
      `${server.url}/things?key=***`,
      `${server.url}/things/***`,
    ]);
  });

  it("get the error code of an attempt without an answer", async () => {
    const codes: unknown[] = [];
    const transport = new Transport({
      baseUrl: "http://127.0.0.1:1",
      apiKey: KEY,
      maxAttempts: 1,
      onResponse: ({ errorCode, status }) => codes.push([errorCode, status]),
    });
    await errorOf(transport.get("/"));
    await transport.close();
    should(codes).deepEqual([["SERVICE_UNREACHABLE", undefined]]);
  });

  it("get the error code of an answer that refuses the key, or its rights", async () => {
    const codes: unknown[] = [];
    const transport = new Transport({
      ...{ baseUrl: server.url, apiKey: KEY },
      onResponse: ({ errorCode, status }) => codes.push([status, errorCode]),
    });
    answers = [
      [401, { type: "UNAUTHORIZED", message: "no" }],
      [403, { type: "FORBIDDEN", message: "no" }],
      [403, { type: "FORBIDDEN", code: "NOT_YOUR_WALLET", message: "no" }],
      [404, { type: "NOT_FOUND", message: "no" }],
    ];
    for (const _ of [1, 2, 3, 4]) await errorOf(transport.get("/"));
    await transport.close();
    should(codes).deepEqual([
      [401, "KEY_REFUSED"],
      [403, "FORBIDDEN"],
      [403, "NOT_YOUR_WALLET"],
      [404, undefined],
    ]);
  });

  it("break nothing when they throw", async () => {
    const fail = () => {
      throw new Error("the disk is full");
    };
    const transport = new Transport({ baseUrl: server.url, apiKey: KEY, onRequest: fail, onResponse: fail });
    should(await transport.get("/")).deepEqual({ ok: true });
    await transport.close();
  });

  it("break nothing when they fail later", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const fail = async () => {
      throw new Error("the log's server is down");
    };
    const transport = new Transport({ baseUrl: server.url, apiKey: KEY, onRequest: fail, onResponse: fail });
    await transport.get("/");
    await transport.close();
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    should(unhandled).be.empty();
  });
});

describe("a client's own dispatcher", () => {
  it("sends every call, and is not closed with the client", async () => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    agent
      .get("http://service.test")
      .intercept({ path: "/v1/networks", headers: { authorization: `Apikey ${KEY}` } })
      .reply(200, { data: [], has_more: false })
      .times(2);
    const client = new CrecClient({ baseUrl: "http://service.test/v1", apiKey: KEY, dispatcher: agent });
    should(await client.networks.list()).deepEqual([]);
    await client.close();
    const headers = { authorization: `Apikey ${KEY}` };
    const { statusCode } = await agent.request({
      origin: "http://service.test",
      path: "/v1/networks",
      method: "GET",
      headers,
    });
    should(statusCode).equal(200);
    await agent.close();
  });
});

describe("the health of a service", () => {
  it("is asked for without the key", async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, response) => {
      seen.push(request.url, request.headers.authorization);
      sendJson(response, 200, { status: "ok" });
    });
    const client = new CrecClient({ baseUrl: `${server.url}/v1`, apiKey: KEY });
    should(await client.health()).deepEqual({ status: "ok" });
    should(seen).deepEqual(["/v1/health-check", undefined]);
    await client.close();
    await server.close();
  });
});
