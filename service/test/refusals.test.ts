import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { createServer } from "../src/api/server.ts";
import { InjectedFailures } from "../src/injected-failures/index.ts";
import { silentLog } from "../src/log.ts";

type Case = { name: string; start: string; headers?: string; body?: string; statuses: Statuses };
/** With a key, without one, and while the service stops. */
type Statuses = readonly [number, number, number];

const CASES: readonly Case[] = [
  { name: "an unknown path", start: "GET /nothing HTTP/1.1", statuses: [404, 401, 503] },
  { name: "a known path", start: "GET /channels/x HTTP/1.1", statuses: [400, 401, 503] },
  { name: "a method that no route has", start: "PROPFIND /channels HTTP/1.1", statuses: [404, 401, 503] },
  { name: "a method that HTTP does not have", start: "WONDER /channels HTTP/1.1", statuses: [400, 400, 400] },
  { name: "a method in lower case", start: "get /channels HTTP/1.1", statuses: [400, 400, 400] },
  { name: "CONNECT", start: "CONNECT example.com:443 HTTP/1.1", statuses: [400, 400, 400] },
  { name: "no HTTP", start: "nonsense", statuses: [400, 400, 400] },
  { name: "the start of HTTP/2", start: "PRI * HTTP/2.0", statuses: [400, 400, 400] },
  { name: "an invalid path", start: "GET /channels/%zz HTTP/1.1", statuses: [400, 400, 400] },
  { name: "an upgrade", start: "GET /nothing HTTP/1.1", headers: upgrade(), statuses: [404, 401, 503] },
  { name: "an expectation", start: "GET /x HTTP/1.1", headers: "Expect: much", statuses: [417, 417, 417] },
  { name: "a long header", start: "GET /x HTTP/1.1", headers: long(), statuses: [431, 431, 431] },
  { name: "a broken body", start: "POST /channels HTTP/1.1", body: "{x", statuses: [400, 401, 503] },
];

describe("each refusal has the format of the contract", function () {
  this.timeout(20_000);

  const started = async () => {
    // No route is reached, so there is nothing behind them.
    const context = { log: silentLog(), injected: new InjectedFailures() };
    const options = { apiKeys: ["key"], account: {}, local: false, loopback: true, page: {} };
    const app = await createServer(context as never, {} as never, options as never);
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const connected = async (): Promise<Socket> => {
      const accepted = once(app.server, "connection");
      const socket = connect(port, "127.0.0.1");
      await accepted;
      return socket;
    };
    return { app, connected };
  };

  for (const [index, how] of (["with a key", "without one"] as const).entries()) {
    it(how, async () => {
      const { app, connected } = await started();
      try {
        for (const one of CASES) {
          const answer = await answerTo(await connected(), textOf(one, index === 0));
          check(one, answer, one.statuses[index] ?? 0);
        }
      } finally {
        await app.close();
      }
    });
  }

  it("while the service stops", async () => {
    const { app, connected } = await started();
    // A connection that has sent nothing yet is not closed at once.
    const sockets: Socket[] = [];
    for (const _ of CASES) sockets.push(await connected());
    const stopping = app.close();
    await eventually("the service to stop listening", () => !app.server.listening);
    const answers = await Promise.all(
      CASES.map((one, index) => answerTo(sockets[index] as Socket, textOf(one, false))),
    );
    for (const [index, one] of CASES.entries()) check(one, answers[index] ?? "", one.statuses[2]);
    await stopping;
  });

  it("an unknown method is named, also after another request", async () => {
    const { app, connected } = await started();
    try {
      const first = "GET /health-check HTTP/1.1\r\nHost: localhost\r\n\r\n";
      for (const before of ["", first]) {
        const answer = await answerTo(await connected(), `${before}WONDER /channels HTTP/1.1\r\n\r\n`);
        should(answer).match(/There is no method WONDER\. Use GET/);
      }
    } finally {
      await app.close();
    }
  });
});

function textOf({ start, headers, body = "" }: Case, withKey: boolean): string {
  const lines = [start, "Host: localhost", "Connection: close", "Content-Type: application/json"];
  if (withKey) lines.push("Authorization: Apikey key");
  if (headers !== undefined) lines.push(headers);
  return `${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function check({ name }: Case, text: string, status: number): void {
  should(text).startWith(`HTTP/1.1 ${status} `, `${name}: ${text}`);
  should(text).match(/content-type: application\/json/i, name);
  const body = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? "null") as { type: string; message: string };
  should(body.type).match(/^[A-Z_]+$/, name);
  should(body.message).match(/^\S+ .*\S$/, name);
}

/** All that comes back until the service ends the connection. */
async function answerTo(socket: Socket, sent: string): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(sent);
  await once(socket, "close");
  return text;
}

function upgrade(): string {
  return "Connection: Upgrade\r\nUpgrade: websocket";
}

function long(): string {
  return `X-Long: ${"x".repeat(20_000)}`;
}
