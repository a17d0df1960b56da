import type { RequestListener } from "node:http";
import should from "should";
import { Lane, Transport, type TransportOptions } from "../../src/http/index.ts";
import { CrecClient } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { startTestService } from "../support/service.ts";
import { errorOf, KEY, sendJson, startServer, type TestServer } from "./support.ts";

/** Real calls under a limit of requests, or one that the service sets. */
describe("a client with a limit of requests", function () {
  this.timeout(60_000);

  const closing: Array<{ close(): Promise<void> }> = [];

  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });

  const serve = async (listener: RequestListener): Promise<TestServer> => {
    const server = await startServer(listener);
    closing.unshift(server);
    return server;
  };
  const open = (baseUrl: string, options: Partial<TransportOptions> = {}): Transport => {
    const transport = new Transport({ baseUrl, apiKey: KEY, ...options });
    closing.unshift(transport);
    return transport;
  };
  const fine: RequestListener = (_request, response) => sendJson(response, 200, {});

  it("sends a burst, and then one request at a time", async () => {
    const server = await serve(fine);
    const transport = open(server.url, { requestsPerMinute: 600 });
    const begun = performance.now();
    await Promise.all(Array.from({ length: 25 }, (_, index) => transport.get(`/${index}`)));
    should(performance.now() - begun).be.within(495, 3_000);
  });

  it("counts retries", async () => {
    const server = await serve((_request, response) => {
      if (server.requests.length < 4) sendJson(response, 503, {}, { "retry-after": "0" });
      else sendJson(response, 200, {});
    });
    // Two at once, then one each 2 s.
    const transport = open(server.url, { requestsPerMinute: 30, timeoutMs: 10_000 });
    await transport.get("/first");
    should(server.requests).have.length(4);
    const begun = performance.now();
    await transport.get("/next");
    should(performance.now() - begun).be.above(1_500);
  });

  it("fails with BUDGET_EXHAUSTED when a call's time is over before its turn, and sends nothing", async () => {
    const server = await serve(fine);
    const transport = open(server.url, { requestsPerMinute: 1, timeoutMs: 1_000 });
    await transport.get("/first");
    const error = await errorOf(transport.get("/second"));
    should(error).match({ code: "BUDGET_EXHAUSTED", name: "BudgetError", retryable: true });
    should(error.message).equal(
      "The limit of 1 requests a minute is used up. Raise it, send fewer requests, or allow the call more time.",
    );
    should((await errorOf(transport.post("/third", {}))).message).endWith("Nothing was sent for this call.");
    should(server.requests).deepEqual(["GET /first"]);
  });

  it("says of a call that was sent before that it may have been carried out", async () => {
    const server = await serve((_request, response) => sendJson(response, 503, {}, { "retry-after": "0" }));
    const transport = open(server.url, { requestsPerMinute: 1, timeoutMs: 1_000 });
    const call = { method: "POST", path: "/1", body: {}, idempotent: true } as const;
    const error = await errorOf(transport.request(call));
    should(error).match({ code: "BUDGET_EXHAUSTED", message: /may have been carried out/ });
    should(error.cause).match({ code: "SERVICE_ERROR" });
  });

  it("begins the time of a poll with its turn, and tells how long it waited", async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => sendJson(response, 200, {}), 100);
    });
    const transport = open(server.url, { requestsPerMinute: 20, timeoutMs: 300 });
    await transport.get("/first");
    const waits: number[] = [];
    const call = { method: "GET", lane: new Lane(), onTurn: (ms: number) => waits.push(ms) } as const;
    await transport.request({ ...call, path: "/poll" });
    should(waits[0]).be.within(1_000, 5_000);
  });

  it("still ends a poll whose answer takes too long", async () => {
    const server = await serve(() => {});
    const transport = open(server.url, { timeoutMs: 200 });
    const error = await errorOf(transport.request({ method: "GET", path: "/", lane: new Lane() }));
    should(error.code).equal("TIMEOUT");
  });

  it("ends calls that wait for their turn when it is closed", async () => {
    const server = await serve(fine);
    const transport = open(server.url, { requestsPerMinute: 1 });
    await transport.get("/first");
    const waiting = [
      errorOf(transport.get("/second")),
      errorOf(transport.request({ method: "GET", path: "/", lane: new Lane() })),
    ];
    await transport.close();
    for (const error of waiting) should((await error).code).equal("CLIENT_CLOSED");
  });

  it("asks before each attempt whether it may be sent", async () => {
    const server = await serve((_request, response) => sendJson(response, 503, {}, { "retry-after": "0" }));
    let left = 2;
    const refusal = new Error("No more.");
    const transport = open(server.url, {
      admit: () => {
        left -= 1;
        if (left < 0) throw refusal;
        return undefined;
      },
    });
    await should(transport.get("/first")).be.rejectedWith(refusal.message);
    should(server.requests).have.length(2);
  });

  it("lets those that are admitted last take turns with polls, behind all others", async () => {
    const server = await serve(fine);
    let isLast = false;
    const admit = () => (isLast ? ("last" as const) : undefined);
    const transport = open(server.url, { maxConcurrency: 1, admit });
    const sent: Array<Promise<unknown>> = [transport.get("/first")];
    isLast = true;
    for (const number of [1, 2, 3]) sent.push(transport.get(`/last-${number}`));
    isLast = false;
    for (const number of [1, 2]) {
      sent.push(transport.request({ method: "GET", path: `/poll-${number}`, lane: new Lane() }));
    }
    sent.push(transport.get("/flow"));
    await Promise.all(sent);
    should(server.requests.map((request) => request.replace("GET /", ""))).deepEqual([
      ...["first", "flow", "last-1", "poll-1", "poll-2", "last-2", "last-3"],
    ]);
  });

  for (const [form, headers] of [
    ["RateLimit-Remaining", { "RateLimit-Limit": "1", "RateLimit-Remaining": "0", "RateLimit-Reset": "1" }],
    ["RateLimit", { RateLimit: '"default";r=0;t=1', "RateLimit-Policy": '"default";q=1;w=1' }],
  ] as const) {
    it(`waits as ${form} says, with no limit of its own`, async () => {
      const times: number[] = [];
      const server = await serve((_request, response) => {
        times.push(performance.now());
        sendJson(response, 200, {}, headers);
      });
      const transport = open(server.url);
      await transport.get("/first");
      await transport.post("/second", {});
      const [first = 0, second = 0] = times;
      should(second - first).be.within(990, 10_000);
    });
  }

  it("fails immediately where the service accepts no requests for longer than the call may take", async () => {
    const headers = { "RateLimit-Remaining": "0", "RateLimit-Reset": "999999999" };
    const server = await serve((_request, response) => sendJson(response, 200, {}, headers));
    const transport = open(server.url);
    await transport.get("/first");
    const begun = performance.now();
    const error = await errorOf(transport.get("/second"));
    should(performance.now() - begun).be.below(1_000);
    should(error).match({ code: "RATE_LIMITED", name: "RateLimitError", retryable: true });
    should(error.retryAfterMs).be.within(55_000, 60_000);
    should(server.requests).deepEqual(["GET /first"]);
  });

  it("holds the other calls, too, when the local service limits the rate of one", async () => {
    const service = await startTestService();
    closing.unshift(service);
    const { base_url: baseUrl, api_key: apiKey } = service.ready;
    const sent: Array<{ at: number; status?: number }> = [];
    const client = new CrecClient({
      ...{ baseUrl, apiKey },
      onResponse: ({ status }) => sent.push({ at: performance.now(), ...(status ? { status } : {}) }),
    });
    closing.unshift(client);
    await client.request({
      method: "POST",
      path: "/local/faults",
      body: { action: "status", status: 429, headers: { "Retry-After": "2" }, match: { path: "/networks" } },
    });
    const limited = client.networks.list();
    await eventually("a refusal", () => sent.some(({ status }) => status === 429), { pauseMs: 5 });
    await Promise.all([limited, client.channels.list(), client.wallets.list()]);
    const [refused, ...others] = sent.slice(1);
    should(refused?.status).equal(429);
    for (const { at } of others) should(at - (refused?.at ?? 0)).be.above(1_900);
    should(others).have.length(3);
  });
});
