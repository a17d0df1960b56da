import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { CrecError } from "../../src/errors.ts";

export const KEY = "secret-key-0123456789";

export type TestServer = {
  url: string;
  port: number;
  /** `METHOD /path?query` of every request, in order. */
  requests: string[];
  /** Resolves with the next request that comes in. */
  nextRequest: () => Promise<[IncomingMessage, ServerResponse]>;
  /** Open connections right now. */
  openSockets: () => number;
  close: () => Promise<void>;
};

/** A real HTTP server on a free port of this machine. */
export async function startServer(listener: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    nextRequest: async () => (await once(server, "request")) as [IncomingMessage, ServerResponse],
    openSockets: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A TCP server that does with each connection what the test says. */
export async function startTcpServer(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onSocket(socket);
  });
  const port = await listen(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    nextConnection: async () => (await once(server, "connection"))[0] as Socket,
    openSockets: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function listen(server: {
  listen: (port: number, host: string) => unknown;
  address: () => unknown;
  once: NodeJS.EventEmitter["once"];
}) {
  server.listen(0, "127.0.0.1");
  await once(server as unknown as NodeJS.EventEmitter, "listening");
  return (server.address() as AddressInfo).port;
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** The error a promise rejects with; fails when it does not, or not with one of ours. */
export async function errorOf(promise: Promise<unknown>): Promise<CrecError & Record<string, unknown>> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`no error, but ${JSON.stringify(outcome.value)}`);
  if (!(outcome.error instanceof CrecError)) throw outcome.error;
  return outcome.error as CrecError & Record<string, unknown>;
}
