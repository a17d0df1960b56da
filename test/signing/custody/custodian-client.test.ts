import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import should from "should";
import { excerpt, refusalOf } from "../../../src/signing/custody/custodian-answers.ts";
import {
  type CustodianCall,
  CustodianClient,
  type CustodianClientOptions,
} from "../../../src/signing/custody/custodian-client.ts";
import type { SigningState } from "../../../src/signing/index.ts";
import { errorOf, sendJson, startServer, startTcpServer } from "../../http/support.ts";
import { selfSigned } from "../../support/certificates.ts";

const SECRET = "s3cret/of the+signer";
const GET: CustodianCall = { method: "GET", path: "/key", repeats: false };

/** Real sockets, and servers that fail in every way. */
describe("a call to a key service", () => {
  const ended: Array<() => void | Promise<void>> = [];
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  const open = (baseUrl: string, options: Partial<CustodianClientOptions> = {}): CustodianClient => {
    const client = new CustodianClient({ custodian: "Acme", baseUrl, secrets: [SECRET], ...options });
    ended.push(() => client.close());
    return client;
  };
  const serve = async (listener: RequestListener) => {
    const server = await startServer(listener);
    ended.push(server.close);
    return server;
  };
  const serveTcp: typeof startTcpServer = async (onSocket) => {
    const server = await startTcpServer(onSocket);
    ended.push(server.close);
    return server;
  };
  const listenOn = async (server: Server): Promise<number> => {
    server.on("tlsClientError", () => {});
    ended.push(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };

  it("goes to the path below that of the address, with the body and the headers as given", async () => {
    const seen: unknown[] = [];
    const server = await serve(async (request, response) => {
      const { accept, authorization } = request.headers;
      seen.push(request.url, accept, authorization, Buffer.concat(await request.toArray()).toString());
      sendJson(response, 200, { big: 1 });
    });
    const client = open(`${server.url}/base//`);
    should(client.pathOf("/sign?x=1")).equal("/base/sign?x=1");
    should(open(server.url).pathOf("")).equal("/");
    const headers = { authorization: "Bearer b" };
    const answer = await client.call({ ...GET, method: "POST", path: "/sign?x=1", headers, body: "{}" });
    should(answer).containEql({ status: 200, json: { big: 1 }, text: '{"big":1}' });
    should(seen).deepEqual(["/base/sign?x=1", "application/json", "Bearer b", "{}"]);
  });

  it("reads a compressed answer, and one without JSON", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/key") response.setHeader("content-encoding", "gzip").end(gzipSync('"0x12"'));
      else response.end("0x12");
    });
    const client = open(server.url);
    should(await client.call(GET)).have.property("json", "0x12");
    const text = await client.call({ ...GET, path: "/text" });
    should(text).containEql({ status: 200, json: undefined, text: "0x12" });
  });

  it("makes headers for each attempt, and gives the date of the answer", async () => {
    const date = "Mon, 02 Jan 2006 15:04:05 GMT";
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers["x-nonce"]);
      response.setHeader("date", date);
      sendJson(response, seen.length < 2 ? 503 : 200, {});
    });
    let nonce = 0;
    const headers = () => ({ "x-nonce": String(++nonce) });
    should(await open(server.url).call({ ...GET, headers, repeats: true })).have.property("date", date);
    should(seen).deepEqual(["1", "2"]);
  });

  it("refuses an address that cannot be used, without showing it", () => {
    for (const url of [
      "",
      "ftp://host",
      `http://user:${encodeURIComponent(SECRET)}@host`,
      "http://host?a=1",
    ]) {
      should(() => new CustodianClient({ custodian: "Acme", baseUrl: url, secrets: [] })).throw({
        code: "INVALID_ARGUMENT",
        path: "url",
        message: /^The URL must (be a complete http|not contain a user name|end with its path)/,
      });
    }
  });

  describe("that fails", () => {
    const unreachable = { code: "SIGNER_UNAVAILABLE", retryable: true, name: "SignerError" };

    it("says that nothing listens there, and where the address is entered", async () => {
      const server = await startTcpServer(() => {});
      await server.close();
      const error = await errorOf(open(server.url).call(GET));
      should(error).have.properties(unreachable);
      should(error.message).equal(
        `Acme at 127.0.0.1:${server.port} cannot be reached: nothing listens there. Check that it runs, and the address of the signer. If this runs in a container, 127.0.0.1:${server.port} means the container itself.`,
      );
    });

    it("says that the connection broke in the middle of the answer", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":', () =>
            socket.resetAndDestroy(),
          );
        });
      });
      const error = await errorOf(open(server.url).call(GET));
      should(error).have.properties(unreachable);
      should(error.message).match(/^Acme at .*the connection broke before the answer was complete/);
    });

    it("ends a call whose answer stalls, and closes its socket", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":'));
      });
      const client = open(server.url, { attemptTimeoutMs: 100 });
      const error = await errorOf(client.call(GET));
      should(error).have.properties(unreachable);
      should(error.message).match(/^Acme at 127.* does not answer\. Check the network/);
      const slow = await errorOf(client.call({ ...GET, waitsForPersonMs: 500 }));
      should(slow).have.properties({ code: "SIGNER_TIMEOUT", retryable: false });
      should(slow.message).match(/no signature within the signer's time-out\. Nothing was submitted/);
    });

    it("reads no answer that is too large, and none that is not HTTP", async () => {
      const large = await serve((_request, response) => response.end(Buffer.alloc(1024 * 1024 + 1, 32)));
      const error = await errorOf(open(large.url).call({ ...GET, repeats: true }));
      should(error).have.properties({ code: "SIGNER_BAD_ANSWER", retryable: false });
      should(error.message).match(/sent more than any key service does\. Check the address in the signer/);
      should(large.requests).have.length(1);
      const bomb = await serve((_request, response) => {
        response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(8 * 1024 * 1024)));
      });
      should(await errorOf(open(bomb.url).call(GET))).have.property("code", "SIGNER_BAD_ANSWER");
      const ssh = await serveTcp((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
      should(await errorOf(open(ssh.url).call(GET))).have.property("code", "SIGNER_BAD_ANSWER");
    });

    it("hands on a page of HTML as text: it is the answer of no key service", async () => {
      const server = await serve((_request, response) => {
        response.setHeader("content-type", "text/html").end("<html><body>Sign in</body></html>");
      });
      should(await open(server.url).call(GET)).match({ status: 200, json: undefined, text: /^<html>/ });
    });

    it("does not follow a redirect, and names the place", async () => {
      const elsewhere = await serve((_request, response) => sendJson(response, 200, {}));
      for (const status of [301, 302, 303, 307, 308]) {
        const server = await serve((_request, response) => {
          response.writeHead(status, { location: `${elsewhere.url}/login?token=${SECRET}` }).end();
        });
        const error = await errorOf(open(server.url).call({ ...GET, repeats: true }));
        should(error).have.properties({ code: "SIGNER_BAD_ANSWER", retryable: false, state: String(status) });
        should(error.message).containEql(`redirects to ${elsewhere.url}/login?token=*** (HTTP ${status})`);
        should(server.requests).have.length(1);
      }
      should(elsewhere.requests).be.empty();
    });

    it("says what is wrong with TLS, and does not try again", async () => {
      const [own, callers] = [selfSigned(), selfSigned()];
      let requests = 0;
      const careful = { ...own, ca: callers.cert, requestCert: true, rejectUnauthorized: true };
      const port = await listenOn(
        createHttpsServer(careful, (_request, response) => {
          requests += 1;
          response.end("{}");
        }),
      );
      const url = `https://127.0.0.1:${port}`;
      const untrusted = await errorOf(open(url).call({ ...GET, repeats: true }));
      should(untrusted).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: false });
      should(untrusted.message).match(
        /^No trusted connection to .*TLS settings of the signer \(in code: tls\.ca\), /,
      );
      const anonymous = await errorOf(open(url, { tls: { ca: own.cert } }).call(GET));
      should(anonymous.message).match(/requires a client certificate.*TLS settings of the signer\.$/);
      const { status } = await open(url, { tls: { ca: own.cert, ...callers } }).call(GET);
      should([status, requests]).deepEqual([200, 1]);
      const plain = await errorOf(open(`https://127.0.0.1:${(await serve(() => {})).port}`).call(GET));
      should(plain.message).match(
        /^No trusted connection to .*Check https or http, and the port, in the address/,
      );
    });

    it("goes through the proxy, and never around it", async () => {
      const asked: unknown[] = [];
      const proxy = createServer((request, response) => {
        asked.push([request.url, request.headers["proxy-authorization"]]);
        sendJson(response, 200, { from: "the proxy" });
      });
      const port = await listenOn(proxy);
      const client = open("http://custodian.invalid/v1", { proxy: `http://user:pass@127.0.0.1:${port}` });
      should((await client.call(GET)).json).deepEqual({ from: "the proxy" });
      should(asked).deepEqual([["http://custodian.invalid/v1/key", "Basic dXNlcjpwYXNz"]]);
      const server = await serve((_request, response) => sendJson(response, 200, {}));
      const down = await startTcpServer(() => {});
      await down.close();
      const error = await errorOf(open(server.url, { proxy: down.url }).call(GET));
      should(error).have.property("code", "SIGNER_UNAVAILABLE");
      const { host } = new URL(down.url);
      should(error.message).startWith(`The proxy at ${host} cannot be reached: nothing listens there. `);
      should(error.message).containEql(" Check that it runs, and the proxy of the signer.");
      should(server.requests).be.empty();
    });
  });

  describe("that is to be repeated", () => {
    /** Fails so many times, then answers. */
    const failing = (times: number, status: number, headers = {}) => {
      let left = times;
      return serve((_request, response) => {
        if (left-- > 0) sendJson(response, status, { error: "not now" }, headers);
        else sendJson(response, 200, { ok: true });
      });
    };

    it("repeats what has no other effect while the key service is busy, and nothing else", async () => {
      for (const status of [429, 500, 503]) {
        const server = await failing(2, status);
        should((await open(server.url).call({ ...GET, repeats: true })).json).deepEqual({ ok: true });
        should(server.requests).have.length(3);
        const once = await failing(1, status);
        const error = await errorOf(open(once.url).call(GET));
        should(error).have.properties({ code: "SIGNER_UNAVAILABLE", state: String(status), retryable: true });
        should(error.message).match(
          / (fails|accepts no more requests now) \(HTTP \d{3}\)\. Try again later\. It said: not now$/,
        );
        should(once.requests).have.length(1);
      }
    });

    it("repeats a request to sign that cannot have been taken, at most three times", async () => {
      const down = await startTcpServer(() => {});
      await down.close();
      const states: SigningState[] = [];
      const onState = (state: SigningState) => states.push(state);
      const error = await errorOf(open(down.url).call({ ...GET, withinMs: 20_000, onState }));
      should(error).have.properties({ code: "SIGNER_UNAVAILABLE", isAsked: false });
      should(states).have.length(3);
      let connections = 0;
      const broken = await serveTcp((socket) => {
        connections += 1;
        socket.once("data", () => socket.destroy());
      });
      const cut = await errorOf(open(broken.url).call({ ...GET, withinMs: 20_000 }));
      should(cut).have.properties({ code: "SIGNER_UNAVAILABLE", isAsked: true });
      should(connections).equal(1);
    });

    it("repeats a request to sign that did not come through the proxy, and names that", async () => {
      let tunnels = 0;
      const cutting = await serveTcp((socket) => {
        socket.once("data", () => {
          tunnels += 1;
          socket.destroy();
        });
      });
      const behind = "https://custodian.invalid";
      const cut = open(behind, { proxy: cutting.url });
      const error = await errorOf(cut.call({ ...GET, withinMs: 20_000 }));
      should(error).match({ code: "SIGNER_UNAVAILABLE", isAsked: false, hop: "tunnel" });
      should(error.message).match(/the proxy closed the connection .* the proxy of the signer is that of/);
      should(tunnels).equal(4);
      const silent = await serveTcp(() => {});
      const waiting = open(behind, { proxy: silent.url });
      const late = await errorOf(waiting.call({ ...GET, waitsForPersonMs: 500 }));
      should(late).match({ code: "SIGNER_UNAVAILABLE", isAsked: false, hop: "tunnel" });
      should(late.message).startWith(
        `The proxy at 127.0.0.1:${silent.port} opened no connection to custodian.invalid within 500 ms. Check`,
      );
    });

    it("tells whether a person may have been asked already: then a repeat would ask again", async () => {
      // All of them can be sent again, by a person or by the flow.
      const call = { ...GET, waitsForPersonMs: 5_000 };
      const isSafeToRepeat = async (url: string) => {
        const error = await errorOf(open(url).call(call));
        should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true });
        return !error.isAsked;
      };
      const down = await startTcpServer(() => {});
      await down.close();
      should(await isSafeToRepeat(down.url)).be.true();
      const broken = await serveTcp((socket) => socket.once("data", () => socket.destroy()));
      should(await isSafeToRepeat(broken.url)).be.false();
      for (const [status, isSafe] of [
        [429, true],
        [503, true],
        [500, false],
        [502, false],
        [504, false],
      ] as const) {
        should(await isSafeToRepeat((await failing(1, status)).url)).equal(isSafe, String(status));
      }
    });

    it("repeats after a broken connection, at most three times", async () => {
      let connections = 0;
      const server = await serveTcp((socket) => {
        connections += 1;
        socket.destroy();
      });
      const error = await errorOf(open(server.url).call({ ...GET, repeats: true }));
      should(error).have.property("code", "SIGNER_UNAVAILABLE");
      should(connections).equal(4);
    });

    it("asks within its time while nothing was taken, however often, and says how often", async () => {
      const states: SigningState[] = [];
      const onState = (state: SigningState) => states.push(state);
      for (const status of [429, 503]) {
        const server = await failing(5, status, { "retry-after": "0" });
        const call = { ...GET, waitsForPersonMs: 20_000, withinMs: 20_000, onState };
        should((await open(server.url).call(call)).json).deepEqual({ ok: true });
        should(server.requests).have.length(6);
        should(states.splice(0).at(-1)).deepEqual({ state: `${status}, asked 5 times`, isForPerson: false });
      }
      const busy = await failing(1_000, 429);
      const error = await errorOf(open(busy.url).call({ ...GET, withinMs: 300 }));
      should(error).have.property("code", "SIGNER_TIMEOUT");
      should(error.message).match(
        /took no request within the signer's time-out \(429, asked (once|\d times)\)\./,
      );
      const later = await failing(1, 429, { "retry-after": "60" });
      const asks = await errorOf(open(later.url).call({ ...GET, withinMs: 5_000 }));
      should(asks).have.properties({ code: "SIGNER_UNAVAILABLE", retryAfterMs: 60_000 });
    });

    it("takes a 503 of a proxy that waited in vain for what it is: the request was handed on", async () => {
      const server = await serve((_request, response) => {
        response.writeHead(503).end("upstream request timeout");
      });
      const call = { ...GET, waitsForPersonMs: 5_000, withinMs: 5_000 };
      const error = await errorOf(open(server.url).call(call));
      should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true, isAsked: true });
      should(server.requests).have.length(1);
    });

    it("does not repeat a refusal", async () => {
      for (const status of [400, 401, 403, 404, 409]) {
        const server = await failing(9, status);
        should(await open(server.url).call({ ...GET, repeats: true })).have.property("status", status);
        should(server.requests).have.length(1);
      }
    });

    it("waits as long as Retry-After says, or says how long where that is too long", async () => {
      const server = await failing(1, 429, { "retry-after": "1" });
      const begun = performance.now();
      await open(server.url).call({ ...GET, repeats: true });
      should(performance.now() - begun).be.within(990, 5_000);
      const long = await failing(1, 429, { "retry-after": "3600" });
      const error = await errorOf(open(long.url).call({ ...GET, repeats: true }));
      should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryAfterMs: 3_600_000 });
      should(error.message).containEql(
        "accepts no more requests now (HTTP 429). Try again in 3600 s, as it asks",
      );
      should(long.requests).have.length(1);
    });
  });

  describe("that is ended", () => {
    it("ends by its signal, while it waits for an answer and between two attempts", async () => {
      const silent = await serve(() => {});
      const first = new AbortController();
      const call = open(silent.url).call({ ...GET, signal: first.signal });
      const ended = errorOf(call);
      await silent.nextRequest();
      first.abort();
      should(await ended).have.property("code", "ABORTED");
      const busy = await serve((_request, response) => sendJson(response, 503, {}, { "retry-after": "20" }));
      const second = new AbortController();
      const pausing = errorOf(open(busy.url).call({ ...GET, repeats: true, signal: second.signal }));
      await busy.nextRequest();
      second.abort();
      should(await pausing).have.property("code", "ABORTED");
      should(await errorOf(open(busy.url).call({ ...GET, signal: second.signal }))).have.property(
        "code",
        "ABORTED",
      );
    });

    it("ends by close with an error of its own: waiting, pausing, and ever after", async () => {
      const silent = await serve(() => {});
      const client = open(silent.url);
      const waiting = errorOf(client.call({ ...GET, waitsForPersonMs: 60_000 }));
      const pausing = errorOf(client.pause(60_000));
      await silent.nextRequest();
      await client.close();
      for (const error of [await waiting, await pausing, await errorOf(client.call(GET))]) {
        should(error).have.properties({ code: "CLIENT_CLOSED", name: "ClientClosedError" });
        should(error.message).match(
          /^The signer was closed before it had a signature.*Nothing was submitted/,
        );
      }
    });
  });

  describe("with secrets", () => {
    it("shows none of them, however the answer writes them", async () => {
      const bearer = "eyJhbGciOi.J9";
      const echoes = [
        SECRET,
        encodeURIComponent(SECRET),
        JSON.stringify(SECRET),
        SECRET.toUpperCase(),
        bearer,
      ];
      const server = await serve((request, response) => {
        const status = Number(request.url?.slice(1));
        sendJson(response, status, { message: echoes.join(" | "), [SECRET]: bearer });
      });
      const headers = { authorization: `Bearer ${bearer}` };
      for (const status of [200, 400, 401, 404, 429, 500]) {
        const call = open(server.url).call({ ...GET, path: `/${status}`, headers });
        const outcome = status < 429 ? await call : await errorOf(call);
        const refusal = "text" in outcome ? refusalOf("Acme", outcome as Awaited<typeof call>) : outcome;
        for (const shown of [inspect(outcome, { depth: 9 }), inspect(refusal, { depth: 9 })]) {
          should(shown)
            .containEql("***")
            .and.not.match(/s3cret/i);
          should(shown).not.containEql(bearer);
        }
      }
    });

    it("shows none with letters beyond ASCII, also as an address writes them", async () => {
      const secret = "pässwörd €uro 🔑";
      const server = await serve((_request, response) => {
        sendJson(response, 400, { said: secret, path: `/x?${encodeURIComponent(secret)}` });
      });
      const { text } = await open(server.url, { secrets: [secret] }).call(GET);
      should(text).equal('{"said":"***","path":"/x?***"}');
    });

    it("leaves a signature alone that contains a short secret by chance", async () => {
      const signature = `0x${"a1b2".repeat(32)}1b`;
      const server = await serve((_request, response) =>
        sendJson(response, 200, { signature, user: "a1b2" }),
      );
      const client = open(server.url, { secrets: ["a1b2", ""] });
      should((await client.call(GET)).json).deepEqual({ signature, user: "***" });
    });
  });
});

describe("the error for a refusal of a key service", () => {
  const refusal = (status: number, json: unknown = { message: "no" }) =>
    refusalOf("Acme", { status, text: JSON.stringify(json), json });

  it("says whether it is about the credentials, the key, or this request", () => {
    should(refusal(401)).have.properties({ code: "SIGNER_UNAUTHORIZED", state: "401" });
    should(refusal(403).message).match(/^Acme refused the credentials.*Check them, and what they permit/);
    should(refusal(404)).have.properties({ code: "SIGNER_KEY_UNSUITABLE", retryable: false });
    for (const status of [400, 408, 413, 422]) {
      const error = refusal(status);
      should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true, isAsked: true });
      should(error.message).match(
        /did not accept the request \(HTTP 4\d\d\), which is not a decision\..* It said: no$/,
      );
    }
    const denied = refusal(400, { error: "Denied by policy 7" });
    should(denied).have.properties({ code: "SIGNER_REFUSED", retryable: false });
    should(denied.message).match(/refused to sign \(HTTP 400\)\. Nothing was submitted\. It said: Denied by/);
    should(refusal(400, { errors: ["connection refused"] })).have.property("code", "SIGNER_UNAVAILABLE");
  });

  it("has the text of a JSON answer, not the JSON", () => {
    const json = { error: "Invalid app ID" };
    const error = refusalOf("Acme", { status: 401, text: JSON.stringify(json), json });
    should(error.message).endWith("It said: Invalid app ID");
  });

  it("says how long another answer was, and quotes nothing of it", () => {
    const page = refusalOf("Acme", { status: 400, text: "<html>é</html>", json: undefined });
    should(page.message).endWith("It sent 15 bytes.");
    should(refusalOf("Acme", { status: 400, text: "", json: undefined }).message).endWith(
      "It sent nothing else.",
    );
  });

  it("has at most a line of what was said", () => {
    should(excerpt(" a\n\u0000\tb ")).equal("a b");
    should(excerpt("")).equal("nothing.");
    should(excerpt("x\ufffd")).equal("bytes that are not text.");
    should(excerpt("x".repeat(300))).have.length(201);
  });
});
