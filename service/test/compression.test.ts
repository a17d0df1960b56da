import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import should from "should";
import { CrecClient } from "../../src/index.ts";
import { freeWhenSent } from "../src/api/events.ts";
import { startService } from "../src/index.ts";
import { Store } from "../src/store/store.ts";
import { Api, startTestService, temporaryFolder } from "./support.ts";

/** More than the system takes at once. */
const BYTES = 20_000_000;

describe("answers of the local service", function () {
  this.timeout(60_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let path: string;

  before(async () => {
    ({ api, dispose } = await startTestService());
    channelId = await api.channel();
    // A page that changes no more.
    path = `/channels/${channelId}/events?offset=1&limit=3`;
    await api.transferWatcher(channelId);
    const receiver = "0x00000000000000000000000000000000000000b2";
    await api.ok("POST", "/local/faucet", { to: receiver, amount: "1" });
    await api.ok("POST", "/local/faucet", { to: receiver, amount: "2" });
    await api.eventsUntil(channelId, (events) => events.length > 3);
  });
  after(() => dispose());

  /** With nothing that decompresses by itself. */
  const ask = async (encoding?: string, { method = "GET", of = path } = {}) => {
    const headers = {
      authorization: `Apikey ${api.ready.api_key}`,
      ...(encoding === undefined ? {} : { "accept-encoding": encoding }),
    };
    const sent = request(new URL(of, api.ready.base_url), { method, headers, agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.concat(await answer.toArray()),
    };
  };

  for (const [encoding, expected] of [
    ["gzip, br", "br"],
    ["gzip", "gzip"],
    ["GZIP;q=0.5, br;q=0", "gzip"],
    ["*", "br"],
    ["*, br;q=0", "gzip"],
  ] as const) {
    it(`with "${encoding}" are compressed by ${expected}`, async () => {
      const plain = await ask();
      const { headers, body } = await ask(encoding);
      should(headers).match({ "content-encoding": expected, vary: "accept-encoding" });
      should(headers["content-type"]).equal(plain.headers["content-type"]);
      should(Number(headers["content-length"])).equal(body.length);
      should(body.length).be.below(plain.body.length);
      const text = expected === "br" ? brotliDecompressSync(body) : gunzipSync(body);
      should(text.equals(plain.body)).be.true();
    });
  }

  for (const encoding of [undefined, "", "identity", "zstd, deflate", "gzip;q=0", "br;q=0.0, *;q=0"]) {
    it(`with ${encoding === undefined ? "no accepted encoding" : `"${encoding}"`} are not compressed, and have the header Vary`, async () => {
      const { headers, body } = await ask(encoding);
      should(headers).not.have.property("content-encoding");
      should(headers.vary).equal("accept-encoding");
      should(JSON.parse(body.toString()).events).be.an.Array();
    });
  }

  it("are not compressed when they are short", async () => {
    const { headers } = await ask("gzip, br", { of: `/channels/${channelId}` });
    should(headers).not.have.properties("content-encoding");
    should(headers).not.have.properties("vary");
  });

  it("to HEAD have only the headers", async () => {
    const { status, headers, body } = await ask("gzip", { method: "HEAD" });
    should(status).equal(200);
    should(headers["content-encoding"]).equal("gzip");
    should(body).be.empty();
  });

  it("are also compressed when they are errors", async () => {
    const body = JSON.stringify({ type: "INTERNAL_ERROR", message: "x".repeat(5_000) });
    await api.ok("POST", "/local/faults", {
      action: "status",
      status: 503,
      body,
      match: { path: `/channels/${channelId}/events` },
    });
    const { status, headers } = await ask("br");
    should(status).equal(503);
    should(headers["content-encoding"]).equal("br");
  });

  it("are complete with many concurrent requests and callers who leave", async () => {
    const empty = `/channels/${channelId}/events/search?event_name=Nothing`;
    const search = `/channels/${channelId}/events/search?limit=3`;
    const expected = new Map<string, string>();
    for (const page of [path, empty, search]) {
      expected.set(page, (await ask(undefined, { of: page })).body.toString());
    }
    const headers = { authorization: `Apikey ${api.ready.api_key}` };
    const answers = Array.from({ length: 150 }, async (_, index) => {
      const page = [path, empty, search][index % 3] ?? path;
      if (index % 10 === 9) {
        // Gone before the answer is there.
        const sent = request(new URL(page, api.ready.base_url), { headers, agent: false }).end();
        sent.on("error", () => {});
        setImmediate(() => sent.destroy());
        return;
      }
      const { body } = await ask(index % 2 === 0 ? undefined : "gzip", { of: page });
      const text = index % 2 === 0 || page === empty ? body : gunzipSync(body);
      should(text.toString()).equal(expected.get(page));
    });
    await Promise.all(answers);
  });

  it("are read by the client", async () => {
    const { base_url: baseUrl, api_key: apiKey } = api.ready;
    const client = new CrecClient({ baseUrl, apiKey });
    const { events } = await client.events.poll(channelId, { offset: 1, limit: 3 });
    await client.close();
    should(events.map(({ event_id }) => event_id)).deepEqual(
      JSON.parse((await ask()).body.toString()).events.map((event: { event_id: string }) => event.event_id),
    );
  });
});

describe("a page of large events of the local service", function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let api: Api;
  let close: () => Promise<void>;
  let path: string;

  before(async () => {
    const store = new Store(folder.path);
    const { channel_id: channelId } = store.channels.create({ name: "large events" });
    for (let event = 0; event < 6; event += 1)
      store.events.append({
        channelId,
        type: "watcher.status",
        payload: { status: "active", text: randomBytes(600_000).toString("hex") },
      });
    store.close();
    const service = await startService({ dataDir: folder.path, local: true });
    api = new Api(service.ready);
    close = () => service.close();
    path = `/channels/${channelId}/events?offset=1&limit=6`;
  });
  after(async () => {
    await close();
    folder.dispose();
  });

  const ask = async (encoding = "identity", method = "GET") => {
    const headers = { authorization: `Apikey ${api.ready.api_key}`, "accept-encoding": encoding };
    const sent = request(new URL(path, api.ready.base_url), { method, headers, agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  };
  const wholeOf = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray());

  it("is sent in parts, whole, and compressed for those who accept it", async () => {
    const plain = await ask();
    const bytes = await wholeOf(plain);
    should(bytes.length).be.above(7_000_000);
    should(plain.headers).match({ vary: "accept-encoding", "content-length": String(bytes.length) });
    should(JSON.parse(bytes.toString()).events).have.length(6);
    for (const [encoding, decompress] of [
      ["br", brotliDecompressSync] as const,
      ["gzip", gunzipSync] as const,
    ]) {
      const answer = await ask(encoding);
      should(answer.headers).match({ vary: "accept-encoding", "content-encoding": encoding });
      should(decompress(await wholeOf(answer)).equals(bytes)).be.true();
    }
    const head = await ask("identity", "HEAD");
    should(head.statusCode).equal(200);
    should(await wholeOf(head)).be.empty();
  });

  it("can be truncated by a fault, and left by its caller", async () => {
    await api.ok("POST", "/local/faults", { action: "truncate", match: { path: path.split("?", 1)[0] } });
    const truncated = await ask();
    should(
      await wholeOf(truncated).then(
        () => "whole",
        (error: Error) => error.message,
      ),
    ).equal("aborted");
    const left = await ask();
    left.destroy();
    await once(left, "close");
    const answer = await wholeOf(await ask());
    should(JSON.parse(answer.toString()).events).have.length(6);
  });
});

describe("the memory of a page of events", () => {
  /** How much of a large page is left when its answer is closed, after this exchange. */
  const leftAfter = async (
    exchange: (sent: ClientRequest, answer: ServerResponse, page: Buffer) => Promise<void> | void,
  ): Promise<number> => {
    const page = Buffer.alloc(BYTES, "x");
    const server = createServer().listen(0, "127.0.0.1");
    try {
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const sent = request({ port, host: "127.0.0.1", agent: false }).end();
      sent.on("error", () => {});
      const [, answer] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
      freeWhenSent({ raw: answer }, page);
      const closed = once(answer, "close");
      await exchange(sent, answer, page);
      await closed;
      return page.length;
    } finally {
      server.close();
    }
  };

  it("is freed when the caller has the whole page", async () => {
    const left = await leftAfter(async (sent, answer, page) => {
      answer.end(page);
      const [taken] = (await once(sent, "response")) as [IncomingMessage];
      should(Buffer.concat(await taken.toArray()).equals(Buffer.alloc(BYTES, "x"))).be.true();
    });
    should(left).equal(0);
  });

  it("is freed when the caller leaves in the middle of it", async () => {
    const left = await leftAfter(async (sent, answer, page) => {
      answer.end(page);
      await once(sent, "response");
      sent.destroy();
    });
    should(left).equal(0);
  });

  it("is kept when the caller leaves before it is sent, since it may be read for compression", async () => {
    const left = await leftAfter((sent) => void sent.destroy());
    should(left).equal(BYTES);
  });
});
