import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import should from "should";
import { createServer } from "../src/api/server.ts";
import { InjectedFailures } from "../src/injected-failures/index.ts";
import { silentLog } from "../src/log.ts";
import { type Answer, type Api, startTestService } from "./support.ts";

type ErrorAnswer = { type: string; message: string };

describe("hostile requests", function () {
  this.timeout(120_000);
  let api: Api;
  let port: number;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
    port = Number(new URL(api.ready.base_url).port);
  });
  after(() => dispose());

  it("with too deep nesting get 400, in metadata, in a service's configuration, and repeatedly", async () => {
    const channelId = await api.channel();
    const { chain_selector, contracts } = api.ready;
    const query = (depth: number) =>
      JSON.stringify({
        ...{ idempotency_key: `depth ${depth}`, query_kind: "evm_call", chain_selector },
        params: {
          contract_address: contracts.DemoToken,
          call_data: "0x",
          block_selection: { type: "latest" },
        },
        metadata: { inner: "HERE" },
      }).replace('"HERE"', nested(depth));
    const watcher = (depth: number) =>
      JSON.stringify({
        ...{ name: `depth ${depth}`, chain_selector, address: contracts.DemoToken },
        ...{ events: ["Transfer"], service: "erc20", service_config: { inner: "HERE" } },
      }).replace('"HERE"', nested(depth));
    should((await api.call("POST", `/channels/${channelId}/queries`, query(90))).status).equal(202);
    should((await api.call("POST", `/channels/${channelId}/queries`, query(90))).status).equal(202);
    should((await api.call("POST", `/channels/${channelId}/watchers`, watcher(90))).status).equal(201);
    for (const depth of [200, 3000, 5000, 8000, 900_000]) {
      for (let time = 0; time < 2; time += 1) {
        refused(await api.call("POST", `/channels/${channelId}/queries`, query(depth)), /nested too deeply/);
        refused(
          await api.call("POST", `/channels/${channelId}/watchers`, watcher(depth)),
          /nested too deeply/,
        );
      }
    }
  });

  it("to the faucet for too many tokens get 400 with the reason", async () => {
    const most = String(2n ** 256n - 1n);
    const { SmartAccountFactory } = api.ready.contracts;
    for (const [payment, reason] of [
      [{ amount: "9".repeat(78) }, /amount must fit 256 bits/],
      [{ amount: "9".repeat(78), token: "native" }, /amount must fit 256 bits/],
      [{ amount: most }, /not possible: the token's contract reverts it/],
      [{ amount: most, token: "native" }, /not possible: the service's account 0x\w+ holds [\d.]+ ETH/],
      [
        { amount: `1${"0".repeat(24)}`, token: "native" },
        /not possible: the service's account 0x\w+ holds [\d.]+ ETH/,
      ],
      [{ amount: "1", token: SmartAccountFactory }, /not possible: the token's contract reverts it/],
      [{ amount: "1", to: SmartAccountFactory, token: "native" }, /not possible: the receiver reverts it/],
    ] as const) {
      refused(await api.call("POST", "/local/faucet", payment), reason);
    }
    should((await api.call("POST", "/local/faucet", {})).status).equal(200);
  });

  it("for a fault with impossible headers get 400, and no fault is added", async () => {
    for (const headers of [
      { "a b": "x" },
      { "": "x" },
      { "x-test": "a\nb" },
      { "x-test": "€" },
      { "Content-Length": "5" },
      { "transfer-encoding": "chunked" },
      { trailer: "x-test" },
      { upgrade: "websocket" },
    ]) {
      refused(await api.call("POST", "/local/faults", { action: "status", headers }), /^headers /);
    }
    should((await api.ok("GET", "/local/status")).faults).eql([]);
  });

  it("without a required body get 400", async () => {
    const channelId = await api.channel();
    for (const [method, path] of [
      ["POST", "/channels"],
      ["PATCH", `/channels/${channelId}`],
      ["POST", "/local/faucet"],
      ["POST", "/local/mine"],
      ["POST", "/local/reorg"],
      ["POST", "/local/traffic"],
    ] as const) {
      refused(await api.call(method, path), /A body is required/);
      refused(await api.call(method, path, "null"), /A body is required/);
    }
  });

  it("to clear a list with a body that is not JSON are refused", async () => {
    for (const path of ["faults", "failures", "absences", "proofs", "deliveries"]) {
      for (const [status, body, type] of [
        [415, "x", "text/csv"],
        [400, "{not json", "application/json"],
        [200, "{}", "application/json"],
      ] as const) {
        const answer = await api.call("DELETE", `/local/${path}`, body, { "content-type": type });
        should(answer.status).equal(status);
      }
    }
  });

  it("to the account API in another format get an error with a body", async () => {
    for (const [status, headers, body] of [
      [415, { "content-type": "text/plain" }, "{}"],
      [415, { "content-type": "text/csv" }, "{}"],
      [415, {}, undefined],
      [406, { accept: "image/png" }, { query: "{ getAccountDetails { memberId } }" }],
    ] as const) {
      const answer = await api.call<ErrorAnswer>("POST", "/graphql", body, headers);
      should(answer.status).equal(status);
      should(answer.headers.get("content-type")).match(/^application\/json/);
      should(answer.body).have.properties(["type", "message"]);
    }
    const mutation = "/graphql?query=mutation%20%7Ba%7D";
    should((await api.call("GET", mutation)).status).be.within(400, 405);
  });

  it("to the account API for many fields get a complete answer or a GraphQL error", async () => {
    const aliases = Array.from({ length: 40 }, (_, n) => `a${n}: getAccountDetails { emailAddress }`);
    const much = await api.ok<{ data: object }>("POST", "/graphql", { query: `{ ${aliases.join(" ")} }` });
    should(Object.keys(much.data)).have.length(aliases.length);
    const spread = Array.from({ length: 1000 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} }`);
    const tooMuch = await api.call("POST", "/graphql", { query: `{ ...f0 } ${spread.join(" ")}` });
    should(tooMuch.status).be.below(500);
    should(JSON.stringify(tooMuch.body)).match(/tokens/);
  });

  it("get the status of a fault with another content type", async () => {
    await api.ok("POST", "/local/faults", {
      ...{ action: "status", status: 503, match: { path: "/networks" } },
      headers: { "content-type": "text/html" },
    });
    should((await api.call("GET", "/networks")).status).equal(503);
  });

  it("that are not HTTP get an error in the format of the contract, and the connection is closed", async () => {
    const head = `Host: localhost\r\nAuthorization: Apikey ${api.ready.api_key}\r\n`;
    for (const [sent, status] of [
      ["nonsense\r\n\r\n", 400],
      [`NOSUCHMETHOD /channels HTTP/1.1\r\n${head}\r\n`, 400],
      [`POST /channels HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
      [`GET /networks HTTP/1.1\r\n${head}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, 431],
      [`GET ${"/a".repeat(10_000)} HTTP/1.1\r\n${head}\r\n`, 431],
      [`POST /channels HTTP/1.1\r\n${head}Expect: wonders\r\n\r\n`, 417],
      ["GET /networks HTTP/1.1\r\nConnection: close\r\n\r\n", 403],
    ] as const) {
      const answer = await raw(port, sent);
      should(answer.status).equal(status, answer.text);
      should(JSON.parse(answer.json)).have.properties(["type", "message"]);
    }
    should((await api.call("GET", "/networks")).status).equal(200);
  });
});

describe("a request that does not arrive", function () {
  this.timeout(60_000);

  it("is not confused with a request with a large body that a fault delays", async () => {
    const { api, dispose } = await startTestService({ requestTimeoutMs: 500 });
    try {
      await api.ok("POST", "/local/faults", { action: "delay", delayMs: 2500, match: { path: "/channels" } });
      const answer = await api.call("POST", "/channels", { name: "x".repeat(1_500_000) });
      should(answer.status).equal(400);
      should(answer.body.message).match(/^name must be/);
    } finally {
      await dispose();
    }
  });

  it("is ended after its time-out, for headers and body", async () => {
    // The routes are never reached, so there is nothing behind them.
    const context = { log: silentLog(), injected: new InjectedFailures() };
    const options = { apiKeys: ["key"], account: {}, local: false, loopback: true };
    const timed = { ...options, requestTimeoutMs: 200 };
    const app = await createServer(context as never, {} as never, timed as never);
    await app.listen({ host: "127.0.0.1", port: 0 });
    try {
      const { port } = app.server.address() as AddressInfo;
      const head = "POST /channels HTTP/1.1\r\nHost: localhost\r\nAuthorization: Apikey key\r\n";
      for (const sent of [head, `${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na`]) {
        const answer = await raw(port, sent);
        should(answer.status).equal(408);
        should(JSON.parse(answer.json)).containEql({ type: "VALIDATION_ERROR" });
      }
    } finally {
      await app.close();
    }
  });
});

function refused(answer: Answer, message: RegExp): void {
  should(answer.status).equal(400, JSON.stringify(answer.body));
  should(answer.body.type).equal("VALIDATION_ERROR");
  should(answer.body.message).match(message);
}

/** Lists in one another, as JSON. */
function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** What comes back for these bytes until the service ends the connection. */
function raw(port: number, sent: string): Promise<{ status: number; json: string; text: string }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(sent));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.once("error", reject);
    socket.once("close", () =>
      resolve({
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
        json: /\{.*\}/.exec(text)?.[0] ?? "",
        text,
      }),
    );
  });
}
