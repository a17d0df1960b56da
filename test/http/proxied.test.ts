import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import should from "should";
import { ProxyAgent } from "undici";
import { Transport, type TransportOptions } from "../../src/http/index.ts";
import { selfSigned } from "../support/certificates.ts";
import { errorOf, KEY, sendJson } from "./support.ts";

/** Real proxies, and services behind them that look at who calls. */
describe("a call through a proxy", () => {
  const ended: Array<() => void | Promise<void>> = [];
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  const listen = async (server: Server): Promise<number> => {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => sockets.add(socket).size);
    ended.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  const open = (baseUrl: string, options: Partial<TransportOptions>): Transport => {
    const transport = new Transport({ baseUrl, apiKey: KEY, maxAttempts: 1, ...options });
    ended.push(() => transport.close());
    return transport;
  };
  /** What a proxy was asked: ordinary requests with a whole address, and tunnels. */
  const proxyOn = async (
    server: Server,
    ordinary: RequestListener = (_request, response) => sendJson(response, 200, { from: "the proxy" }),
  ) => {
    const asked: IncomingMessage[] = [];
    server.on("request", (request, response) => {
      asked.push(request);
      ordinary(request, response);
    });
    server.on("connect", (request: IncomingMessage, socket: Socket) => {
      asked.push(request);
      const onward = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on("error", () => {});
      ended.push(() => void onward.destroy());
    });
    return { port: await listen(server), asked };
  };

  it("asks for an http address as any http client does, with the proxy's own credentials beside", async () => {
    const { port, asked } = await proxyOn(createServer());
    const transport = open("http://service.invalid:8080/v1", { proxy: `http://user:pass@127.0.0.1:${port}` });
    should(await transport.get("/networks")).deepEqual({ from: "the proxy" });
    const [request] = asked;
    should(asked).have.length(1);
    should(request?.method).equal("GET");
    should(request?.url).equal("http://service.invalid:8080/v1/networks");
    should(request?.headers).have.properties({
      host: "service.invalid:8080",
      authorization: `Apikey ${KEY}`,
      "proxy-authorization": `Basic ${Buffer.from("user:pass").toString("base64")}`,
    });
  });

  it("reports a proxy that requires credentials, for an http address too", async () => {
    const { port } = await proxyOn(createServer(), (_request, response) => response.writeHead(407).end());
    const transport = open("http://service.invalid/v1", { proxy: `127.0.0.1:${port}` });
    const error = await errorOf(transport.get("/x"));
    should(error).match({
      code: "SERVICE_UNREACHABLE",
      message: /proxy refused the connection.*credentials/,
    });
  });

  it("names the proxy that does not listen, for an http address too", async () => {
    const closed = open("http://service.example/v1", { proxy: "http://user:pass@127.0.0.1:1" });
    should(await errorOf(closed.get("/x"))).match({
      ...{ code: "SERVICE_UNREACHABLE", hop: "proxy", host: "127.0.0.1:1" },
      message: /^The proxy at 127\.0\.0\.1:1 cannot be reached: nothing listens there/,
    });
  });

  it("names the proxy of a program's own dispatcher", async () => {
    for (const [uri, host] of [
      ["http://127.0.0.1:1", "127.0.0.1:1"],
      ["http://no-such-proxy.invalid:3128", "no-such-proxy.invalid"],
    ] as const) {
      const dispatcher = new ProxyAgent(uri);
      ended.push(() => dispatcher.close());
      const error = await errorOf(open("https://service.example/v1", { dispatcher }).get("/x"));
      should(error).match({ code: "SERVICE_UNREACHABLE", hop: "proxy", host });
      should(error.message).startWith(`The proxy at ${host} cannot be reached: `);
    }
  });

  it("does not go through a proxy of the environment to this machine itself", async () => {
    const before = process.env.all_proxy;
    ended.push(() => {
      if (before === undefined) delete process.env.all_proxy;
      else process.env.all_proxy = before;
    });
    process.env.all_proxy = "http://127.0.0.1:1";
    const port = await listen(
      createServer((_request, response) => sendJson(response, 200, { from: "here" })),
    );
    for (const host of ["localhost", "127.0.0.1"]) {
      const transport = open(`http://${host}:${port}/v1`, { proxy: "environment" });
      should(await transport.get("/x")).deepEqual({ from: "here" });
    }
    const elsewhere = open("http://service.example/v1", { proxy: "environment" });
    should(await errorOf(elsewhere.get("/x"))).have.property("hop", "proxy");
  });

  it("names the environment variable that has the proxy's address", async () => {
    const before = process.env.http_proxy;
    ended.push(() => {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    });
    process.env.http_proxy = "http://user:hush-hush@127.0.0.1:1";
    const { message } = await errorOf(open("http://service.example/v1", { proxy: "environment" }).get("/x"));
    should(message).equal(
      "The proxy at 127.0.0.1:1 cannot be reached: nothing listens there. Check that it runs, and the environment variable http_proxy. If this runs in a container, 127.0.0.1:1 means the container itself.",
    );
  });

  it("takes no more of an answer than allowed, without a tunnel either", async () => {
    const { port } = await proxyOn(createServer(), (_request, response) =>
      sendJson(response, 200, "x".repeat(5_000)),
    );
    const transport = open("http://service.invalid/v1", {
      proxy: `127.0.0.1:${port}`,
      maxResponseBytes: 1_000,
    });
    should((await errorOf(transport.get("/x"))).code).equal("RESPONSE_TOO_LARGE");
  });

  /** A service that only answers those who show a certificate. */
  const careful = async (own: ReturnType<typeof selfSigned>, callers: ReturnType<typeof selfSigned>) => {
    const server = createHttpsServer(
      { ...own, ca: callers.cert, requestCert: true, rejectUnauthorized: true },
      (_request, response) => sendJson(response, 200, { from: "the service" }),
    );
    server.on("tlsClientError", () => {});
    return listen(server);
  };

  it("reaches an https address through a tunnel, and shows the service its certificate there", async () => {
    const [own, callers] = [selfSigned(), selfSigned()];
    const service = await careful(own, callers);
    const { port, asked } = await proxyOn(createServer());
    const tls = { ca: own.cert, cert: callers.cert, key: callers.key };
    const transport = open(`https://127.0.0.1:${service}`, { proxy: `http://127.0.0.1:${port}`, tls });
    should(await transport.get("/x")).deepEqual({ from: "the service" });
    should(asked.map(({ method, url }) => `${method} ${url}`)).deepEqual([`CONNECT 127.0.0.1:${service}`]);
    should(asked[0]?.headers).not.have.property("authorization");
  });

  it("shows an https proxy nothing that is for the service, and trusts it no more for that", async () => {
    const [own, callers, its] = [selfSigned(), selfSigned(), selfSigned()];
    const service = await careful(own, callers);
    const server = createHttpsServer({ ...its, requestCert: true, rejectUnauthorized: false });
    const seen: boolean[] = [];
    server.on("secureConnection", (socket: TLSSocket) =>
      seen.push(Object.keys(socket.getPeerCertificate() ?? {}).length > 0),
    );
    server.on("tlsClientError", () => {});
    const { port, asked } = await proxyOn(server as unknown as Server);
    for (const more of [{ ca: [own.cert, its.cert] }, { ca: own.cert, rejectUnauthorized: false }]) {
      const tls = { cert: callers.cert, key: callers.key, ...more };
      const transport = open(`https://127.0.0.1:${service}`, { proxy: `https://127.0.0.1:${port}`, tls });
      should((await errorOf(transport.get("/x"))).code).equal("TLS_ERROR");
    }
    should(asked).be.empty();
    should(seen).not.containEql(true);
  });

  it("reports a service that requires a certificate", async () => {
    const [own, callers] = [selfSigned(), selfSigned()];
    const service = await careful(own, callers);
    const error = await errorOf(open(`https://127.0.0.1:${service}`, { tls: { ca: own.cert } }).get("/x"));
    should(error).match({ code: "TLS_ERROR", message: /requires a client certificate/ });
  });
});
