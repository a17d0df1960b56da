import { Socket } from "node:net";
import { Agent, buildConnector, Pool, ProxyAgent } from "undici";
import type { Body } from "./inflate.ts";

/** TLS settings of a connection, as Node's `tls.connect` takes them. */
export type TlsSettings = {
  ca?: string | Uint8Array | Array<string | Uint8Array>;
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  passphrase?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
};

/** One request as it goes to the dispatcher. */
export type OutgoingRequest = {
  origin: string;
  path: string;
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  headers: Record<string, string>;
  body?: string;
};

/** What of an undici dispatcher is used. */
export type HttpDispatcher = {
  request(options: OutgoingRequest & { signal: AbortSignal }): Promise<{
    statusCode: number;
    headers: Record<string, string | string[] | undefined>;
    body: Body;
  }>;
};

export type DispatcherSettings = {
  tls?: TlsSettings | undefined;
  /** `http://user:password@host:port`. */
  proxy?: string | undefined;
  connectTimeoutMs: number;
  maxResponseBytes: number;
};

/** The pool of sockets behind one transport. */
export type SocketPool = { dispatcher: HttpDispatcher; destroy: () => Promise<void> };

/** Beyond 4 s servers close idle sockets under our feet, which costs requests. */
const KEEP_ALIVE_MS = 4_000;

export function openSocketPool(settings: DispatcherSettings): SocketPool {
  const sockets = new Set<Socket>();
  const tls = { ...settings.tls, timeout: settings.connectTimeoutMs } as buildConnector.BuildOptions;
  const options = {
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: settings.maxResponseBytes,
    // The deadlines of the transport hold for all phases; these timers are coarse and know only inactivity.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connect = tracked(buildConnector(tls), sockets);
  const dispatcher = settings.proxy
    ? new ProxyAgent({
        ...options,
        uri: settings.proxy,
        requestTls: tls,
        // No deadline of a call reaches this far: a proxy that says nothing would keep its socket for ever.
        clientFactory: (origin) =>
          new Pool(origin, { ...options, connect, headersTimeout: settings.connectTimeoutMs }),
      })
    : new Agent({ ...options, connect });
  return {
    dispatcher,
    destroy: async () => {
      // A socket that still connects is not known to the agent, so it would outlive it.
      for (const socket of sockets) socket.destroy();
      await dispatcher.destroy();
    },
  };
}

/** A connector that remembers its sockets until they close. */
function tracked(connect: buildConnector.connector, sockets: Set<Socket>): buildConnector.connector {
  return (options, callback) => {
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
}
