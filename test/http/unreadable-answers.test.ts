import type { ServerResponse } from "node:http";
import should from "should";
import { Transport } from "../../src/http/index.ts";
import { errorOf, KEY, startServer, startTcpServer } from "./support.ts";

/** What a transport makes of one answer, given as a server writes it. */
async function outcome(answer: (response: ServerResponse, other: string) => void) {
  const other = await startServer((_request, response) => response.end("{}"));
  const server = await startServer((_request, response) => answer(response, other.url));
  const transport = new Transport({ baseUrl: server.url, apiKey: KEY, maxAttempts: 1, timeoutMs: 2_000 });
  try {
    const result = await transport.get("/x").then(
      (value) => ({ value, error: undefined }),
      async (error: unknown) => ({ value: undefined, error: await errorOf(Promise.reject(error)) }),
    );
    return { ...result, asked: server.requests.length, followed: other.requests.length };
  } finally {
    await transport.close();
    await server.close();
    await other.close();
  }
}

describe("unreadable answers", () => {
  const json = { "content-type": "application/json" };

  it("of the kind 1xx are passed over", async () => {
    const hinted = await outcome((response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeHead(200, json).end('{"a": 1}');
    });
    should(hinted.value).deepEqual({ a: 1 });
    const processing = await outcome((response) => {
      response.writeProcessing();
      response.writeHead(200, json).end('{"a": 2}');
    });
    should(processing.value).deepEqual({ a: 2 });
  });

  it("that switch to another protocol are a typed error", async () => {
    const server = await startTcpServer((socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
      );
    });
    const transport = new Transport({ baseUrl: server.url, apiKey: KEY, maxAttempts: 1, timeoutMs: 2_000 });
    const error = await errorOf(transport.get("/x"));
    should(["SERVICE_UNREACHABLE", "BAD_RESPONSE"]).containEql(error.code);
    await transport.close();
    await server.close();
  });

  it("with headers of up to 64 KB are read, and larger ones named", async () => {
    const large = await outcome((response) => {
      for (let index = 0; index < 60; index += 1) response.setHeader(`x-long-${index}`, "x".repeat(1_000));
      response.writeHead(200, json).end('{"a": 1}');
    });
    should(large.value).deepEqual({ a: 1 });
    const { error } = await outcome((response) => {
      for (let index = 0; index < 80; index += 1) response.setHeader(`x-long-${index}`, "x".repeat(1_000));
      response.writeHead(200, json).end('{"a": 1}');
    });
    should(error).match({ code: "BAD_RESPONSE", message: /headers of more than 64 KiB/ });
  });

  it("that begin with 100 Continue are named, since it was not requested", async () => {
    const { error } = await outcome((response) => {
      response.writeContinue();
      response.writeHead(200, json).end('{"a": 1}');
    });
    should(error).match({ code: "BAD_RESPONSE", message: /answered with "100 Continue"/ });
  });

  it("that are not text are described", async () => {
    for (const bytes of [
      Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2),
      Buffer.of(0x78, 0x9c, 0xab, 0x56, 0x4a),
    ]) {
      const { error } = await outcome((response) => response.writeHead(200, json).end(bytes));
      should(error).match({ code: "BAD_RESPONSE", message: /It has \d+ bytes of application\/json\.$/ });
    }
  });

  it("without content are undefined with status 204, and an error otherwise", async () => {
    should((await outcome((response) => response.writeHead(204).end())).value).be.undefined();
    const empty = await outcome((response) => response.writeHead(200, json).end());
    should(empty.error?.code).equal("BAD_RESPONSE");
  });

  it("that nothing was changed are an error: nothing was remembered", async () => {
    const { error } = await outcome((response) => response.writeHead(304).end());
    should(error?.code).equal("BAD_RESPONSE");
    should(error?.message).not.match(/elsewhere/);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`that send elsewhere by ${status} are not followed, with the key or without`, async () => {
      const { error, asked, followed } = await outcome((response, other) =>
        response.writeHead(status, { location: `${other}/x` }).end(),
      );
      should(error?.code).equal("BAD_RESPONSE");
      should(error?.message).match(/never sent to another address/);
      should([asked, followed]).deepEqual([1, 0]);
    });
  }

  it("that redirect name https, or the other server; never a text with the key", async () => {
    const to = async (location: string) =>
      (await outcome((response) => response.writeHead(301, { location }).end())).error?.message;
    should(await to("https://127.0.0.1:8443/v1/x?a=1")).match(
      /^127\.0\.0\.1:\d+ redirects to https \(HTTP 301\)\. Correct the base URL of the connection: it must begin with https:\/\/127\.0\.0\.1:8443\. /,
    );
    should(await to("https://login.example/?back=1")).match(
      / redirects to https:\/\/login\.example \(HTTP 301\), .* base URL .* login page or a proxy/,
    );
    for (const odd of ["/login", `https://${KEY}.example/`, `https://${"a".repeat(200)}/`, "::"]) {
      should(await to(odd)).match(/ redirects to another address \(HTTP 301\), /, odd);
    }
  });

  /** What stands before a service answers in words of its own. */
  const foreign: Array<[string, number, Record<string, string>, string, string, RegExp]> = [
    ["a login page", 401, {}, "<html>Log in", "BAD_RESPONSE", /another login than the API key.* base URL/],
    ["a proxy's login", 401, { "www-authenticate": "Basic realm=x" }, "", "BAD_RESPONSE", /another login/],
    ["a gateway", 401, json, '{"message":"Unauthorized"}', "KEY_REFUSED", /refused the API key/],
    ["a firewall", 403, {}, "<html>Blocked", "BAD_RESPONSE", /firewall or a proxy keeps this machine out/],
    [
      "a proxy unasked",
      407,
      {},
      "",
      "BAD_RESPONSE",
      /requires a login.* Choose that proxy in the connection/,
    ],
    ["a proxy's limit of size", 413, {}, "<html>", "BAD_RESPONSE", /request is too large for .*Send less/],
    [
      "a limit by address",
      429,
      { "retry-after": "5" },
      "slow",
      "RATE_LIMITED",
      /whatever their key.* 5 s, as/,
    ],
    [
      "a gateway",
      502,
      {},
      "<html>",
      "SERVICE_ERROR",
      /proxy before it fails \(HTTP 502\)\. Try again later\. If/,
    ],
    [
      "a gateway",
      504,
      json,
      '{"message":"late"}',
      "SERVICE_ERROR",
      /Try again later\. .* check the base URL/,
    ],
  ];
  it("of what stands before the service name that, and not the service, its key or its limit", async () => {
    for (const [who, status, headers, body, code, says] of foreign) {
      const { error } = await outcome((response) => response.writeHead(status, headers).end(body));
      should(error).match({ code, status }, `${who}, ${status}`);
      should(error?.message).match(says, `${who}, ${status}`);
      should(error?.retryable).equal(status === 429 || status >= 500);
    }
  });

  it("of another type than JSON are an error, whatever stands in them", async () => {
    const html = await outcome((response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>"),
    );
    should(html.error?.code).equal("BAD_RESPONSE");
    should(html.error?.message).match(/It has 20 bytes of text\/html\.$/);
    const disguised = await outcome((response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end('"signed in"'),
    );
    should(disguised.error?.code).equal("BAD_RESPONSE");
  });

  for (const type of [
    "application/json; charset=utf-8",
    "application/problem+json",
    "APPLICATION/JSON",
    "",
  ]) {
    it(`of the type "${type}" are read`, async () => {
      const { value } = await outcome((response) => {
        if (type !== "") response.setHeader("content-type", type);
        response.writeHead(200).end("[1]");
      });
      should(value).deepEqual([1]);
    });
  }

  it("with a byte order mark or broken UTF-8 do not crash", async () => {
    const marked = await outcome((response) => response.writeHead(200, json).end('\ufeff{"a": 1}'));
    should(marked.value).deepEqual({ a: 1 });
    const broken = await outcome((response) =>
      response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe])),
    );
    should(broken.error?.code).equal("BAD_RESPONSE");
  });
});
