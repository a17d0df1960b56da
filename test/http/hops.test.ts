import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import should from "should";
import { Transport, type TransportOptions } from "../../src/http/index.ts";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import { errorOf, KEY } from "./support.ts";

const SERVICE = "service.example:443";

/** Real proxies that fail, each in its way: the error says at which hop, and names what failed there. */
describe("a call that fails on its way through a proxy", () => {
  const ended: Array<() => void | Promise<void>> = [];
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
    ended.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  /** A proxy that does this with each connection. */
  const onSocket = (react: (socket: Socket) => void) => listen(createTcpServer(react));
  /** A proxy that does this when it is asked for a tunnel. */
  const onTunnel = (react: (socket: Socket) => void, certificate?: Certificate) => {
    const server = certificate ? (createHttpsServer(certificate) as unknown as Server) : createServer();
    server.on("tlsClientError", () => {});
    return listen(server.on("connect", (_asked, socket) => react(socket as Socket)));
  };
  const open = (proxy: string, options: Partial<TransportOptions> = {}): Transport => {
    const baseUrl = "https://service.example/v1";
    const transport = new Transport({ baseUrl, apiKey: KEY, maxAttempts: 1, proxy, ...options });
    ended.push(() => transport.close());
    return transport;
  };
  const failing = (proxy: string, options?: Partial<TransportOptions>) =>
    errorOf(open(proxy, options).get("/networks"));

  const UNREACHABLE = { code: "SERVICE_UNREACHABLE", retryable: true };

  it("is at the proxy: nothing listens, or its name is unknown", async () => {
    const refused = await failing("http://127.0.0.1:1");
    should(refused).match({ ...UNREACHABLE, hop: "proxy", host: "127.0.0.1:1" });
    should(refused.message).startWith(
      "The proxy at 127.0.0.1:1 cannot be reached: nothing listens there. Check that it runs, and the proxy of the connection.",
    );
    const unknown = await failing("http://no-such-proxy.invalid:3128");
    should(unknown).match({ ...UNREACHABLE, hop: "proxy", host: "no-such-proxy.invalid:3128" });
    should(unknown.message).match(/^The proxy at no-such-proxy\.invalid:3128 cannot be reached: .*DNS/);
  });

  it("is at the proxy: it accepts no connection in time", async () => {
    // TLS never begins on a server that says nothing.
    const port = await onSocket(() => {});
    const error = await failing(`https://127.0.0.1:${port}`, { timeoutMs: 500 });
    should(error).match({ code: "TIMEOUT", hop: "proxy", host: `127.0.0.1:${port}` });
    should(error.message).equal(
      `The proxy at 127.0.0.1:${port} accepted no connection within 500 ms. Check that it runs, the proxy of the connection, and the network.`,
    );
    const early = await failing(`https://127.0.0.1:${port}`, { attemptTimeoutMs: 100 });
    should(early).match({ hop: "proxy", message: /^The proxy at / });
  });

  it("is at the proxy: it closes the connection before that is secure", async () => {
    const port = await onSocket((socket) => socket.destroy());
    const error = await failing(`https://127.0.0.1:${port}`);
    should(error).match({ ...UNREACHABLE, hop: "proxy", host: `127.0.0.1:${port}` });
    should(error.message).equal(
      `The proxy at 127.0.0.1:${port} cannot be reached: it closed the connection at once. Check https or http, and the port, in the proxy of the connection.`,
    );
  });

  it("is at the proxy: its own certificate is not trusted, or it has none", async () => {
    const own = await onTunnel(() => {}, selfSigned());
    const untrusted = await failing(`https://127.0.0.1:${own}`);
    should(untrusted).match({ code: "TLS_ERROR", retryable: false, hop: "proxy" });
    should(untrusted.message).equal(
      `No trusted connection to the proxy 127.0.0.1:${own}: its certificate is self-signed. Check that this is the right server, and not a proxy that reads along, then name the file of its certificate in NODE_EXTRA_CA_CERTS. (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    );
    const plain = await onTunnel(() => {});
    should((await failing(`https://127.0.0.1:${plain}`)).message).startWith(
      `No trusted connection to the proxy 127.0.0.1:${plain}: it does not use TLS on this port. Check https or http, and the port, in the proxy of the connection.`,
    );
  });

  it("is at the proxy: it does not speak HTTP", async () => {
    const port = await onSocket((socket) => socket.write("220 mail.example ESMTP\r\n"));
    const error = await failing(`http://127.0.0.1:${port}`);
    should(error).match({ code: "BAD_RESPONSE", hop: "proxy", host: `127.0.0.1:${port}` });
    should(error.message).match(
      /^The proxy at 127\.0\.0\.1:\d+ does not speak HTTP .* in the proxy of the connection\.$/,
    );
  });

  it("is in the tunnel: the proxy refuses it", async () => {
    for (const [status, why] of [
      [407, "it requires a login. Check the credentials in the proxy of the connection."],
      [403, "it does not permit this server. Check the base URL of the connection, or ask who runs"],
      [502, "it does not reach the server itself. Check the base URL of the connection, and that the"],
    ] as const) {
      const port = await onTunnel((socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
      const error = await failing(`http://127.0.0.1:${port}`);
      should(error).match({ ...UNREACHABLE, hop: "tunnel", host: `127.0.0.1:${port}` });
      should(error.message).startWith(
        `The service at ${SERVICE} (through the proxy 127.0.0.1:${port}) cannot be reached: the proxy refused the connection (HTTP ${status}): ${why}`,
      );
    }
  });

  it("is in the tunnel: the proxy ends, resets or never answers the request for it", async () => {
    for (const end of ["end", "resetAndDestroy"] as const) {
      let asked = 0;
      const port = await onSocket((socket) => {
        socket.once("data", () => {
          asked += 1;
          socket[end]();
        });
      });
      const error = await failing(`http://127.0.0.1:${port}`);
      should(error).match({ ...UNREACHABLE, hop: "tunnel", host: `127.0.0.1:${port}` });
      should(error.message).match(
        /: the proxy closed the connection without an answer\. Check that the proxy of the connection is/,
      );
      should(asked).equal(1);
    }
    const silent = await onTunnel(() => {});
    const error = await failing(`http://127.0.0.1:${silent}`, { timeoutMs: 500 });
    should(error).match({ code: "TIMEOUT", hop: "tunnel" });
    should(error.message).startWith(
      `The proxy at 127.0.0.1:${silent} opened no connection to ${SERVICE} within 500 ms. `,
    );
  });

  it("is in the tunnel: it is cut before TLS, and nothing was sent", async () => {
    for (const end of ["end", "resetAndDestroy"] as const) {
      const port = await onTunnel((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.once("data", () => socket[end]());
      });
      const error = await errorOf(open(`http://127.0.0.1:${port}`).post("/channels", {}));
      should(error).match({ ...UNREACHABLE, hop: "tunnel", host: `127.0.0.1:${port}` });
      should(error.message).match(
        /: the connection was cut behind the proxy, before anything was sent\. Check the base/,
      );
    }
  });

  it("is at the service: it does not answer in the tunnel, or its certificate is not trusted there", async () => {
    const silent = await onTunnel((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    const late = await failing(`http://127.0.0.1:${silent}`, { timeoutMs: 500 });
    should(late).match({ code: "TIMEOUT", hop: "service", host: SERVICE });
    const service = await listen(createHttpsServer(selfSigned()) as unknown as Server);
    const port = await onTunnel((socket) => {
      const onward = connect(service, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      onward.on("error", () => {});
    });
    const error = await failing(`http://127.0.0.1:${port}`);
    should(error).match({ code: "TLS_ERROR", hop: "service", host: SERVICE });
    should(error.message).startWith(
      `No trusted connection to ${SERVICE} (through the proxy 127.0.0.1:${port}): its certificate is `,
    );
    should(error.message).containEql(
      "then add its certificate to the TLS settings of the connection (in code: tls.ca), or name its file in NODE_EXTRA_CA_CERTS.",
    );
  });

  it("reports a time-out of the service once a connection is open", async () => {
    const port = await listen(createServer(() => {}));
    const baseUrl = "http://service.example/v1";
    const error = await failing(`http://127.0.0.1:${port}`, { baseUrl, timeoutMs: 500 });
    should(error).match({ code: "TIMEOUT", hop: "service", host: "service.example:80" });
    should(error.message).startWith(`service.example:80 (through the proxy 127.0.0.1:${port}) did not`);
  });

  it("tells hooks where each attempt failed", async () => {
    const seen: unknown[] = [];
    await failing("http://127.0.0.1:1", {
      onResponse: ({ hop, host, errorCode }) => seen.push([errorCode, hop, host]),
    });
    should(seen).deepEqual([["SERVICE_UNREACHABLE", "proxy", "127.0.0.1:1"]]);
  });
});
