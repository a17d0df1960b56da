import { getEventListeners, once } from "node:events";
import type { RequestListener } from "node:http";
import { setImmediate as tick } from "node:timers/promises";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import should from "should";
import {
  AuthenticationError,
  BadResponseError,
  ConflictError,
  NotFoundError,
  RateLimitError,
  ServiceError,
  Transport,
  type TransportOptions,
  ValidationError,
} from "../../src/http/index.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, KEY, sendJson, startServer, startTcpServer, type TestServer } from "./support.ts";

describe("Transport", () => {
  const ended: Array<() => Promise<void>> = [];
  const open = (url: string, options: Partial<TransportOptions> = {}) => {
    const transport = new Transport({ baseUrl: url, apiKey: KEY, ...options });
    ended.push(() => transport.close());
    return transport;
  };
  const serve = async (listener: RequestListener): Promise<TestServer> => {
    const server = await startServer(listener);
    ended.push(server.close);
    return server;
  };
  const tcp = async (...args: Parameters<typeof startTcpServer>) => {
    const server = await startTcpServer(...args);
    ended.push(server.close);
    return server;
  };
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  describe("a call", () => {
    it("tells the time of the service, whatever this machine's clock says", async () => {
      const dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "yesterday", "Sun, 06 Nov 1994 09:00:00 GMT"];
      const server = await serve((_request, response) =>
        sendJson(response, 500, {}, { date: dates.shift() ?? "" }),
      );
      const transport = open(server.url, { maxAttempts: 1 });
      should(transport.serviceTime).be.undefined();
      for (const time of ["08:49:37", "08:49:37", "09:00:00"]) {
        await errorOf(transport.get("/x"));
        should(transport.serviceTime).be.approximately(Date.parse(`1994-11-06T${time}Z`), 10_000);
      }
    });

    it("carries the key, a user agent, the query and a JSON body", async () => {
      const seen: unknown[] = [];
      const server = await serve((request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", () => {
          seen.push(
            request.headers.authorization,
            request.headers["user-agent"],
            request.headers["content-type"],
            body,
          );
          sendJson(response, 201, { ok: true });
        });
      });
      const transport = open(`${server.url}/v1/`);
      const query = { status: ["a", "b"], limit: 5, none: undefined };
      const answer = await transport.request({
        method: "POST",
        path: "/channels",
        query,
        body: { name: "é" },
      });
      should(answer).deepEqual({ ok: true });
      should(server.requests).deepEqual(["POST /v1/channels?status=a&status=b&limit=5"]);
      should(seen[0]).equal(`Apikey ${KEY}`);
      should(seen[1]).match(/^crec-client\/\d/);
      should(seen.slice(2)).deepEqual(["application/json", '{"name":"é"}']);
    });

    it("without a body names no type of one, and carries the key without blanks around", async () => {
      const seen: unknown[] = [];
      const server = await serve((request, response) => {
        const { authorization, accept, "content-type": type, "content-length": length } = request.headers;
        seen.push(authorization, accept, type, length);
        sendJson(response, 200, {});
      });
      await open(server.url, { apiKey: ` ${KEY}\n` }).get("/x");
      should(seen).deepEqual([`Apikey ${KEY}`, "application/json", undefined, undefined]);
    });

    it("carries headers of the caller's own, and never another key", async () => {
      const seen: unknown[] = [];
      const server = await serve((request, response) => {
        seen.push(request.headers["idempotency-key"], request.headers.authorization);
        sendJson(response, 200, {});
      });
      const headers = { "Idempotency-Key": "k-1", Authorization: "Apikey other" };
      const transport = open(server.url);
      await transport.request({ method: "GET", path: "/x", headers });
      await transport.request({ method: "GET", path: "/x", headers, anonymous: true });
      should(seen).deepEqual(["k-1", `Apikey ${KEY}`, "k-1", undefined]);
    });

    it("refuses a body that is not JSON, and does not quote it", async () => {
      const error = await errorOf(open("http://127.0.0.1:1").post("/x", { secret: 7n }));
      should(error).match({ code: "INVALID_ARGUMENT", path: "body", message: /bigint.*decimal text/ });
      should(inspect(error)).not.containEql("secret");
    });

    it("leaves no timer behind that would keep a program from its end", async () => {
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
      const server = await serve((_request, response) => sendJson(response, 200, {}));
      const transport = open(server.url);
      const before = timers();
      for (let count = 0; count < 10; count += 1) await transport.get("/x");
      should(timers() - before).be.below(5);
    });

    it("gives nothing for 204", async () => {
      const server = await serve((_request, response) => response.writeHead(204).end());
      should(await open(server.url).get("/x")).be.undefined();
    });

    it("keeps integers beyond 2^53 as text", async () => {
      const server = await serve((_request, response) =>
        sendJson(response, 200, '{"n": 12345678901234567890}'),
      );
      should(await open(server.url).get("/x")).deepEqual({ n: "12345678901234567890" });
    });

    it("refuses a path that is not valid", async () => {
      const transport = open("http://127.0.0.1:1");
      for (const path of ["no-slash", "/a b", "/a#b", "/é"]) {
        should(await errorOf(transport.get(path))).match({
          code: "INVALID_ARGUMENT",
          path: "path",
          message: /begin with \//,
        });
      }
    });

    it("works for many at the same time without a warning about listeners", async () => {
      const warnings: unknown[] = [];
      const onWarning = (warning: unknown) => warnings.push(warning);
      process.on("warning", onWarning);
      const server = await serve((_request, response) => sendJson(response, 200, 1));
      const transport = open(server.url);
      const { signal } = new AbortController();
      const calls = Array.from({ length: 100 }, () => transport.get("/x", {}, { signal }));
      await tick();
      // What hangs on a signal by a weak reference alone does not outlive this.
      setFlagsFromString("--expose-gc");
      runInNewContext("gc")();
      await Promise.all(calls);
      should(getEventListeners(signal, "abort")).be.empty();
      await tick();
      process.off("warning", onWarning);
      should(warnings).be.empty();
    });
  });

  describe("refusals", () => {
    const answering = async (status: number, body: unknown, headers = {}) => {
      const server = await serve((_request, response) => sendJson(response, status, body, headers));
      return open(server.url, { maxAttempts: 1 });
    };
    const cases: Array<[string, number, unknown, string, RegExp]> = [
      ["a wrong key", 401, "", "KEY_REFUSED", /Check the key/],
      [
        "an unknown organization",
        401,
        { type: "ORGANIZATION_NOT_FOUND", message: "m" },
        "ORGANIZATION_NOT_FOUND",
        /organization/,
      ],
      [
        "an unknown channel",
        404,
        { type: "NOT_FOUND", code: "CHANNEL_NOT_FOUND", message: "m" },
        "CHANNEL_NOT_FOUND",
        /no such channel/,
      ],
      ["an unknown place", 404, { type: "NOT_FOUND", message: "m" }, "NOT_FOUND", /Check the ids/],
      [
        "a taken name",
        409,
        { type: "CONFLICT", code: "CHANNEL_ALREADY_EXISTS", message: "m" },
        "CHANNEL_ALREADY_EXISTS",
        /another name/,
      ],
      ["a conflict without a code", 409, { type: "CONFLICT", message: "busy" }, "CONFLICT", /busy/],
      [
        "bad values",
        400,
        { type: "VALIDATION_ERROR", message: "name too long" },
        "VALIDATION_ERROR",
        /name too long/,
      ],
      [
        "a code that is no constant",
        409,
        { type: "CONFLICT", code: "no such thing", message: "so" },
        "CONFLICT",
        /so/,
      ],
      [
        "a code of the future",
        409,
        { type: "CONFLICT", code: "NEW_THING", message: "so" },
        "NEW_THING",
        /HTTP 409.*so/,
      ],
      [
        "what the key may not do",
        403,
        { type: "FORBIDDEN", code: "KEY_LACKS_SCOPE", message: "read only" },
        "KEY_LACKS_SCOPE",
        /HTTP 403.*read only/,
      ],
      [
        "what the key may not do, without a code",
        403,
        { type: "FORBIDDEN", message: "no" },
        "FORBIDDEN",
        /no/,
      ],
      [
        "a rate limit",
        429,
        { type: "VALIDATION_ERROR", message: "m" },
        "RATE_LIMITED",
        /send fewer requests/,
      ],
      [
        "failure of the service",
        500,
        { type: "INTERNAL_ERROR", message: "db" },
        "SERVICE_ERROR",
        /Try again later.*db/,
      ],
      ["an empty 500", 500, "", "SERVICE_ERROR", /\(HTTP 500\)\. Try again later\.$/],
      ["a proxy's HTML 502", 502, "<html>Bad gateway</html>", "SERVICE_ERROR", /HTTP 502/],
      ["a proxy's HTML 404", 404, "<html>nginx</html>", "BAD_RESPONSE", /base URL.*It has 18 bytes of /],
      ["HTML with 200", 200, "<html>Log in</html>", "BAD_RESPONSE", /base URL.*It has 19 bytes of /],
      ["an empty 200", 200, "", "BAD_RESPONSE", /base URL.*It is empty\.$/],
      [
        "a missing right",
        403,
        { type: "FORBIDDEN", message: "no" },
        "FORBIDDEN",
        /permission.*Use a key.*no/,
      ],
      [
        "a code in a list",
        404,
        { type: "NOT_FOUND", code: ["CHANNEL_NOT_FOUND"], message: "m" },
        "NOT_FOUND",
        /Check the ids/,
      ],
      ["a refusal without a message", 400, { type: "VALIDATION_ERROR" }, "VALIDATION_ERROR", /nothing more/],
      ["a type that is not a constant", 400, { type: "free text", message: "m" }, "BAD_RESPONSE", /base URL/],
      ["truncated JSON", 200, '{"data": [', "BAD_RESPONSE", /It has 10 bytes of /],
    ];
    for (const [what, status, body, code, message] of cases) {
      it(`${what} is ${code}`, async () => {
        const error = await errorOf((await answering(status, body)).get("/x"));
        should(error.code).equal(code);
        should(error.message).match(message);
        should(error.status).equal(status);
      });
    }

    it("have a class for each kind, which bears its own name", async () => {
      const body = { type: "SOME_TYPE", message: "m" };
      for (const [status, kind] of [
        [401, AuthenticationError],
        [403, AuthenticationError],
        [404, NotFoundError],
        [409, ConflictError],
        [400, ValidationError],
        [422, ValidationError],
        [429, RateLimitError],
        [500, ServiceError],
        [503, ServiceError],
        [302, BadResponseError],
      ] as const) {
        const error = await errorOf((await answering(status, status === 302 ? "" : body)).get("/x"));
        should(error.constructor).equal(kind);
        should(error.name).equal(kind.name);
        should(error.retryable).equal(status === 429 || status >= 500);
      }
    });

    it("of the key are one class, whatever their code", async () => {
      for (const status of [401, 403]) {
        const body = { type: "FORBIDDEN", code: "KEY_LACKS_SCOPE", message: "m" };
        should(await errorOf((await answering(status, body)).get("/x"))).be.instanceof(AuthenticationError);
      }
    });

    it("never quotes a whole body", async () => {
      const error = await errorOf((await answering(200, `<html>${"x".repeat(5000)}`)).get("/x"));
      should(error.message.length).be.below(500);
    });

    it("carries type, request id and the wait that was asked for", async () => {
      const headers = { "x-request-id": "req-1", "retry-after": "7" };
      const error = await errorOf(
        (await answering(429, { type: "SLOW_DOWN", message: "m" }, headers)).get("/x"),
      );
      should(error.type).equal("SLOW_DOWN");
      should(error.requestId).equal("req-1");
      should(error.retryAfterMs).equal(7000);
    });
  });

  describe("the key", () => {
    it("is in no error, though the service or a proxy echoes it", async () => {
      const server = await serve((request, response) => {
        const body = { type: "VALIDATION_ERROR", message: `bad header ${request.headers.authorization}` };
        const status = Number(request.url?.slice(1));
        sendJson(response, status, status === 200 ? `<p>${KEY}` : body, { "x-request-id": KEY });
      });
      const transport = open(server.url, { maxAttempts: 1 });
      for (const status of [200, 302, 400, 401, 404, 409, 429, 500]) {
        const error = await errorOf(transport.get(`/${status}`));
        should(`${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`).not.containEql(
          KEY,
        );
      }
    });

    it("is in no error as JSON, a query or a path writes it", async () => {
      const apiKey = `a"b\\c/d+e=f g~h!`;
      const forms = {
        JSON: JSON.stringify(apiKey),
        "JSON with escaped slashes": JSON.stringify(apiKey).replaceAll("/", "\\/"),
        "a path": encodeURIComponent(apiKey),
        "a path in lower case": encodeURIComponent(apiKey).replace(/%../g, (code) => code.toLowerCase()),
        "a query": new URLSearchParams({ key: apiKey }).toString().replace("key=", ""),
      };
      for (const [what, form] of Object.entries(forms)) {
        const server = await serve((_request, response) =>
          sendJson(response, 404, { type: "NOT_FOUND", message: `not ${form} here` }),
        );
        const error = await errorOf(open(server.url, { apiKey }).get("/x"));
        should(error.message).match(/not "?\*\*\*"? here$/, what);
      }
    });

    it("is in no error made from what is not HTTP", async () => {
      const server = await tcp((socket) => {
        socket.once("data", () => socket.end(`${KEY} is not HTTP\r\n\r\n`));
      });
      const error = await errorOf(open(server.url).get("/x"));
      should(error.code).equal("BAD_RESPONSE");
      should(error.message).match(/does not speak HTTP as expected/);
      should(inspect(error, { depth: 9, showHidden: true })).not.containEql(KEY);
    });

    it("does not show when the transport is printed or stored", () => {
      const transport = open("http://127.0.0.1:1");
      should(inspect(transport, { depth: 9, showHidden: true })).not.containEql(KEY);
      should(JSON.stringify(transport)).not.containEql(KEY);
    });

    it("is all that is ever sent as authorization: a caller's own header is not", async () => {
      const sent: unknown[] = [];
      const server = await serve(({ rawHeaders }, response) => {
        sent.push(rawHeaders.filter((_, index) => /^authorization$/i.test(rawHeaders[index - 1] ?? "")));
        sendJson(response, 200, {});
      });
      const transport = open(server.url);
      for (const name of ["authorization", "Authorization", "AUTHORIZATION"]) {
        const call = { method: "GET", path: "/x", headers: { [name]: "Bearer mine" } } as const;
        await transport.request({ ...call, anonymous: true });
        await transport.request(call);
        should(sent.splice(0)).deepEqual([[], [`Apikey ${KEY}`]], name);
      }
    });

    it("never follows a redirect to another host", async () => {
      const other = await serve((_request, response) => sendJson(response, 200, {}));
      const server = await serve((_request, response) =>
        response.writeHead(307, { location: other.url }).end(),
      );
      const error = await errorOf(open(server.url).get("/x"));
      should(error.code).equal("BAD_RESPONSE");
      should(error.message).match(/Check the base URL/);
      should(other.requests).be.empty();
      should(server.requests).have.length(1);
    });

    it("is refused when empty or broken, and the base URL when it is not one", () => {
      const make = (baseUrl: string, apiKey: string) => () => new Transport({ baseUrl, apiKey });
      should(make("http://h", " ")).throw({ code: "INVALID_ARGUMENT", path: "apiKey" });
      should(make("http://h", "a\nb")).throw({ code: "INVALID_ARGUMENT", path: "apiKey" });
      should(make("http://h", " ")).throw(/API key is missing/);
      should(make("http://h", "a\nb")).throw(/Copy it again/);
      should(make("http://h", '"key"')).throw(/in quotation marks.*--env-file/);
      should(make("http://h", "Apikey key")).throw(/begins with "Apikey"\. Enter only what follows/);
      for (const [url, message] of [
        ["", /^The base URL must be a complete http or https address/],
        ["h/v1", /complete http or https address/],
        ["ftp://h", /complete http or https address/],
        ["http://u:p@h", /not contain a user name or password/],
        ["http://u@h", /not contain a user name or password/],
        ["http://:p@h", /not contain a user name or password/],
        ["http://h/?a=1", /must end with its path/],
        ["http://h/#a", /must end with its path/],
        ["http://h?", /must end with its path/],
      ] as const) {
        should(make(url, KEY)).throw({ code: "INVALID_ARGUMENT", path: "baseUrl", message });
      }
    });
  });

  describe("repeats", () => {
    it("a GET after a reset, a 429 and a 503", async () => {
      let count = 0;
      const server = await serve((request, response) => {
        count += 1;
        if (count === 1) request.socket.destroy();
        else if (count === 2) sendJson(response, 429, "", { "retry-after": "0" });
        else if (count === 3) sendJson(response, 503, "<html>");
        else sendJson(response, 200, "done".length);
      });
      should(await open(server.url).get("/x")).equal(4);
    });

    it("give up after the budget with the last error", async () => {
      const server = await serve((_request, response) => sendJson(response, 500, "", { "retry-after": "0" }));
      should((await errorOf(open(server.url, { maxAttempts: 3 }).get("/x"))).code).equal("SERVICE_ERROR");
      should(server.requests).have.length(3);
    });

    it("never a POST after a reset, unless it is said to be idempotent", async () => {
      const server = await serve((request, response) => {
        if (server.requests.length < 3) request.socket.destroy();
        else sendJson(response, 200, true);
      });
      const transport = open(server.url);
      should((await errorOf(transport.post("/x", {}))).code).equal("SERVICE_UNREACHABLE");
      should(server.requests).have.length(1);
      const again = { method: "POST", path: "/x", body: {}, idempotent: true } as const;
      should(await transport.request(again)).be.true();
      should(server.requests).have.length(3);
    });

    it("never what is permanent", async () => {
      const server = await serve((_request, response) =>
        sendJson(response, 404, { type: "NOT_FOUND", message: "m" }),
      );
      await errorOf(open(server.url).get("/x"));
      should(server.requests).have.length(1);
    });

    it("fail immediately when the service asks for a longer wait than is left", async () => {
      const server = await serve((_request, response) =>
        sendJson(response, 429, "", { "retry-after": "3600" }),
      );
      const started = performance.now();
      const error = await errorOf(open(server.url, { timeoutMs: 60_000 }).get("/x"));
      should(error.code).equal("RATE_LIMITED");
      should(error.message).match(/3600 s/);
      should(server.requests).have.length(1);
      should(performance.now() - started).be.below(30_000);
    });
  });

  describe("broken answers", () => {
    it("shorter than promised is SERVICE_UNREACHABLE", async () => {
      const server = await serve((_request, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"a":', () => response.socket?.end());
      });
      should((await errorOf(open(server.url, { maxAttempts: 1 }).get("/x"))).code).equal(
        "SERVICE_UNREACHABLE",
      );
    });

    it("longer than promised is BAD_RESPONSE", async () => {
      const server = await tcp((socket) => {
        socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"a": 1, "b": 2}'));
      });
      should((await errorOf(open(server.url).get("/x"))).code).equal("BAD_RESPONSE");
    });

    it("cut off in a chunk is SERVICE_UNREACHABLE", async () => {
      const server = await tcp((socket) => {
        socket.once("data", () =>
          socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"a"'),
        );
      });
      should((await errorOf(open(server.url, { maxAttempts: 1 }).get("/x"))).code).equal(
        "SERVICE_UNREACHABLE",
      );
    });

    it("larger than allowed is RESPONSE_TOO_LARGE", async () => {
      const server = await serve((_request, response) => sendJson(response, 200, "x".repeat(5000)));
      const error = await errorOf(open(server.url, { maxResponseBytes: 1000 }).get("/x"));
      should(error.code).equal("RESPONSE_TOO_LARGE");
      should(error.message).match(/larger/);
    });
  });

  describe("what cannot be reached", () => {
    it("reports that nothing listens", async () => {
      const server = await startServer(() => {});
      await server.close();
      const error = await errorOf(open(server.url, { maxAttempts: 1 }).get("/x"));
      should(error.code).equal("SERVICE_UNREACHABLE");
      should(error.message).containEql(`127.0.0.1:${server.port}`);
      should(error.message).match(/nothing listens/);
    });

    it("reports a name that cannot be resolved", async () => {
      for (const [scheme, port] of [
        ["http", 80],
        ["https", 443],
      ]) {
        const error = await errorOf(open(`${scheme}://no-such-host.invalid`, { maxAttempts: 1 }).get("/x"));
        should(error.code).equal("SERVICE_UNREACHABLE");
        should(error.message).match(new RegExp(`no-such-host\\.invalid:${port} .*name`));
      }
    });

    it("reports a server without TLS", async () => {
      const server = await serve((_request, response) => response.end());
      const error = await errorOf(open(server.url.replace("http:", "https:")).get("/x"));
      should(error.code).equal("TLS_ERROR");
      should(error.message).match(/https or http/);
    });
  });

  describe("deadlines", () => {
    const limits = { attemptTimeoutMs: 100, maxAttempts: 1 };

    it("hold before the headers", async () => {
      const server = await serve(() => {});
      const error = await errorOf(open(server.url, limits).get("/x"));
      should(error).match({ code: "TIMEOUT", name: "TimeoutError", retryable: true });
      should(error.message).containEql(`127.0.0.1:${server.port}`).and.endWith("or allow more time.");
    });

    it("hold while a body drips", async () => {
      const server = await serve((_request, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(drip));
      });
      should((await errorOf(open(server.url, limits).get("/x"))).code).equal("TIMEOUT");
    });

    it("are over when something else keeps the process busy between two attempts", async () => {
      const server = await serve((_request, response) => response.writeHead(503).end());
      const keepBusy = () => {
        const end = performance.now() + 1_200;
        while (performance.now() < end);
      };
      const options = { timeoutMs: 1_000, onResponse: () => void setTimeout(keepBusy, 1) };
      should((await errorOf(open(server.url, options).get("/x"))).code).equal("TIMEOUT");
      should(server.requests.length).equal(1);
    });

    it("hold for the whole call with all its repeats", async () => {
      const server = await serve(() => {});
      const transport = open(server.url, { attemptTimeoutMs: 60, timeoutMs: 250, maxAttempts: 100 });
      should((await errorOf(transport.get("/x"))).code).equal("TIMEOUT");
      // On a busy machine the time may be over before the first request arrives.
      should(server.requests.length).be.belowOrEqual(10);
    });

    it("end with what went wrong before, where something did", async () => {
      const server = await serve((_request, response) => {
        if (server.requests.length === 1) sendJson(response, 503, "", { "retry-after": "0" });
      });
      const error = await errorOf(open(server.url, { timeoutMs: 2_000 }).get("/x"));
      should(error).match({ code: "TIMEOUT", retryable: true, cause: { code: "SERVICE_ERROR" } });
    });

    it("report that the request may have been carried out", async () => {
      const server = await serve(() => {});
      should((await errorOf(open(server.url, limits).post("/x", {}))).message).match(
        /may have been carried out/,
      );
    });
  });

  describe("abort", () => {
    it("ends a call that connects", async () => {
      // Accepts, but never answers the TLS handshake.
      const server = await tcp(() => {});
      const controller = new AbortController();
      const call = errorOf(
        open(server.url.replace("http:", "https:")).get("/x", {}, { signal: controller.signal }),
      );
      await server.nextConnection();
      controller.abort();
      should(await call).match({ code: "ABORTED", name: "AbortedError", message: /aborted by its caller/ });
    });

    it("ends a call that queues, and leaves the queue in order", async () => {
      const server = await serve(() => {});
      const transport = open(server.url, { maxConcurrency: 1 });
      const first = server.nextRequest();
      const running = transport.get("/1");
      const controller = new AbortController();
      const queued = errorOf(transport.get("/2", {}, { signal: controller.signal }));
      const last = transport.get("/3");
      const [, response] = await first;
      controller.abort();
      should((await queued).code).equal("ABORTED");
      const third = server.nextRequest();
      sendJson(response, 200, 1);
      sendJson((await third)[1], 200, 3);
      should(await running).equal(1);
      should(await last).equal(3);
      should(server.requests).deepEqual(["GET /1", "GET /3"]);
    });

    it("ends a call in its body, and the connection with it", async () => {
      const server = await serve((_request, response) => void response.write("{"));
      const controller = new AbortController();
      const next = server.nextRequest();
      const call = errorOf(open(server.url).get("/x", {}, { signal: controller.signal }));
      const [, response] = await next;
      controller.abort();
      should((await call).code).equal("ABORTED");
      if (!response.closed) await once(response, "close");
    });

    it("ends a call that waits for its repeat", async () => {
      const server = await serve((_request, response) =>
        sendJson(response, 503, "", { "retry-after": "20" }),
      );
      const controller = new AbortController();
      const next = server.nextRequest();
      const call = errorOf(open(server.url).get("/x", {}, { signal: controller.signal }));
      const [, response] = await next;
      if (!response.closed) await once(response, "close");
      controller.abort();
      should((await call).code).equal("ABORTED");
    });

    it("before the call sends nothing", async () => {
      const server = await serve((_request, response) => response.end());
      should((await errorOf(open(server.url).get("/x", {}, { signal: AbortSignal.abort() }))).code).equal(
        "ABORTED",
      );
      should(server.requests).be.empty();
    });
  });

  describe("close", () => {
    it("ends all that is under way and leaves no connection", async () => {
      const server = await serve(() => {});
      const transport = open(server.url, { maxConcurrency: 2 });
      const calls = ["/1", "/2", "/3"].map((path) => errorOf(transport.get(path)));
      await server.nextRequest();
      await server.nextRequest();
      await transport.close();
      should((await Promise.all(calls)).map(({ code }) => code)).deepEqual(Array(3).fill("CLIENT_CLOSED"));
      await eventually("no open socket", () => server.openSockets() === 0);
      const late = await errorOf(transport.get("/4"));
      should(late).match({
        code: "CLIENT_CLOSED",
        name: "ClientClosedError",
        message: /Create a new client/,
      });
    });

    it("also ends a connection that is still being made", async () => {
      const server = await tcp(() => {});
      const transport = open(server.url.replace("http:", "https:"));
      const call = errorOf(transport.get("/x"));
      await server.nextConnection();
      await transport.close();
      should((await call).code).equal("CLIENT_CLOSED");
      await eventually("no open socket", () => server.openSockets() === 0);
    });
  });

  describe("a proxy", () => {
    it("that never answers keeps no socket", async () => {
      const asked = Promise.withResolvers<void>();
      const given = Promise.withResolvers<void>();
      const proxy = await startTcpServer((socket) => {
        socket.on("data", () => asked.resolve());
        socket.on("close", () => given.resolve());
      });
      ended.push(proxy.close);
      const options = { proxy: proxy.url, attemptTimeoutMs: 2_000, maxAttempts: 1 };
      const transport = open("http://127.0.0.1:1", options);
      should((await errorOf(transport.get("/x"))).code).equal("TIMEOUT");
      await asked.promise;
      await given.promise;
    });

    it("whose address cannot be used is named without its password", async () => {
      for (const proxy of [
        "http://user:hush-hush@ho st:1",
        "http://user:hush-hush@host:port",
        "http://user%:hush-hush@host",
        "socks5://user:hush-hush@host",
      ]) {
        const error = await errorOf((async () => open("http://127.0.0.1:1", { proxy }))());
        should(error).match({ code: "INVALID_ARGUMENT", path: "proxy", message: /user:password@host:port/ });
        should(inspect(error, { showHidden: true, depth: 9 })).not.containEql("hush");
      }
    });
  });
});
