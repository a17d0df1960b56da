import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import should from "should";
import { Transport, type TransportOptions } from "../../src/http/index.ts";
import { errorOf, KEY, sendJson, startServer } from "./support.ts";

const MIB = 1024 * 1024;

describe("compressed answers", () => {
  const ended: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });
  const answering = async (listener: RequestListener, options: Partial<TransportOptions> = {}) => {
    const server = await startServer(listener);
    const transport = new Transport({ baseUrl: server.url, apiKey: KEY, maxAttempts: 1, ...options });
    ended.push(server.close, () => transport.close());
    return transport;
  };
  const send = (response: ServerResponse, encoding: string, body: Buffer | string, status = 200) => {
    response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding });
    response.end(body);
  };
  const text = JSON.stringify({ name: "é", many: "x".repeat(300_000) });
  const ENCODED: ReadonlyArray<[string, Buffer | string]> = [
    ["gzip", gzipSync(text)],
    ["GZip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    // Not asked for.
    ["deflate", deflateSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["identity", text],
    ["", text],
    ["", gzipSync(text)],
    ["identity", zstdCompressSync(text)],
  ];

  it("are asked for", async () => {
    const transport = await answering(({ headers }, response) =>
      sendJson(response, 200, { asked: headers["accept-encoding"] }),
    );
    should(await transport.get("/x")).deepEqual({ asked: "gzip, br" });
  });

  for (const [encoding, body] of ENCODED) {
    it(`in ${encoding || "no encoding"} are read`, async () => {
      const transport = await answering((_request, response) => send(response, encoding, body));
      should(await transport.get("/x")).deepEqual(JSON.parse(text));
    });
  }

  it("are read where they are refusals", async () => {
    const refusal = JSON.stringify({ type: "CONFLICT", code: "CHANNEL_ALREADY_EXISTS", message: "taken" });
    const transport = await answering((_request, response) => send(response, "gzip", gzipSync(refusal), 409));
    should(await errorOf(transport.post("/x", {}))).match({ code: "CHANNEL_ALREADY_EXISTS", status: 409 });
  });

  it("without a body are what they are without an encoding", async () => {
    const nothing = await answering((_request, response) => send(response, "gzip", "", 204));
    should(await nothing.get("/x")).be.undefined();
    const empty = await answering((_request, response) => send(response, "br", ""));
    should(await errorOf(empty.get("/x"))).match({ code: "BAD_RESPONSE", status: 200 });
    const other = await answering((_request, response) => send(response, "zstd", "", 204));
    should(await other.get("/x")).be.undefined();
  });

  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const) {
    describe(`in ${encoding}`, () => {
      const whole = compress(text);

      it("cut short, or damaged, are BAD_RESPONSE", async () => {
        const damaged = Buffer.from(whole);
        damaged.fill(0xff, 2, 12);
        for (const body of [whole.subarray(0, whole.length >> 1), whole.subarray(0, -1), damaged]) {
          const transport = await answering((_request, response) => send(response, encoding, body));
          const error = await errorOf(transport.get("/x"));
          should(error).match({ code: "BAD_RESPONSE", retryable: false });
          should(error.message).match(/damaged \(HTTP 200/);
        }
      });

      it("cut off by the connection are SERVICE_UNREACHABLE", async () => {
        const transport = await answering((_request, response) => {
          const headers = { "content-encoding": encoding, "content-length": whole.length };
          response.writeHead(200, headers);
          response.write(whole.subarray(0, 20), () => response.socket?.end());
        });
        should((await errorOf(transport.get("/x"))).code).equal("SERVICE_UNREACHABLE");
      });

      it("are RESPONSE_TOO_LARGE where their text is larger than allowed, refusals too", async () => {
        for (const status of [200, 409, 500]) {
          const limits = { maxResponseBytes: 100_000 };
          const transport = await answering(
            (_request, response) => send(response, encoding, whole, status),
            limits,
          );
          const error = await errorOf(transport.get("/x"));
          should(error).match({ code: "RESPONSE_TOO_LARGE", message: /larger than allowed/ });
        }
        const limits = { maxResponseBytes: Buffer.byteLength(text) };
        const fits = await answering((_request, response) => send(response, encoding, whole), limits);
        should(await fits.get("/x")).deepEqual(JSON.parse(text));
      });

      it("that come slowly end at the deadline", async () => {
        const transport = await answering(
          (_request, response) => {
            response.writeHead(200, { "content-encoding": encoding });
            let at = 0;
            const drip = setInterval(() => response.write(whole.subarray(at, ++at)), 10);
            response.on("close", () => clearInterval(drip));
          },
          { attemptTimeoutMs: 100 },
        );
        should((await errorOf(transport.get("/x"))).code).equal("TIMEOUT");
      });
    });
  }

  it("that would fill the memory stop at what is allowed", async () => {
    const gzip = createGzip({ level: 1 });
    const collected = gzip.toArray();
    const zeros = Buffer.alloc(MIB);
    for (let written = 0; written < 512; written++) if (!gzip.write(zeros)) await once(gzip, "drain");
    gzip.end();
    const bomb = Buffer.concat(await collected);
    const transport = await answering((_request, response) => send(response, "gzip", bomb), {
      maxResponseBytes: 4 * MIB,
    });
    const before = process.resourceUsage().maxRSS;
    should((await errorOf(transport.get("/x"))).message).match(/larger than allowed/);
    should((process.resourceUsage().maxRSS - before) / 1024).be.below(100);
  });

  for (const encoding of ["compress", "lzma", "gzip, br", `${KEY}`]) {
    it(`in ${encoding === KEY ? "something else" : encoding} are BAD_RESPONSE and named, and leave the connection usable`, async () => {
      let answers = 0;
      const transport = await answering((_request, response) => {
        if (++answers === 1) send(response, encoding, "x".repeat(200_000));
        else sendJson(response, 200, { ok: true });
      });
      const error = await errorOf(transport.get("/x"));
      should(error.code).equal("BAD_RESPONSE");
      should(error.message).containEql(`"${encoding === KEY ? "***" : encoding}"`);
      should(error.message).not.containEql(KEY);
      should(await transport.get("/x")).deepEqual({ ok: true });
    });
  }

  it("that a dispatcher has inflated by itself are taken as they are", async () => {
    const headers = { "content-encoding": "gzip" };
    const dispatcher = {
      request: async () => ({ statusCode: 200, headers, body: { text: async () => '{"ok":true}' } }),
    };
    const transport = new Transport({ baseUrl: "http://127.0.0.1:1", apiKey: KEY, dispatcher });
    ended.push(() => transport.close());
    should(await transport.get("/x")).deepEqual({ ok: true });
  });

  it("that are damaged are asked for again where the service has failure", async () => {
    let answers = 0;
    const transport = await answering(
      (_request, response) => {
        if (++answers === 1) send(response, "gzip", "no gzip", 503);
        else send(response, "gzip", gzipSync('{"ok":true}'));
      },
      { maxAttempts: 2 },
    );
    should(await transport.get("/x")).deepEqual({ ok: true });
  });
});
