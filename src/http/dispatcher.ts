import { Socket } from "node:net";
import { Agent, buildConnector, Pool, ProxyAgent } from "undici";
import type { Body } from "./inflate.ts";
import { openPlainPool } from "./plain-dispatcher.ts";
import { hasWebAssembly } from "./web-assembly.ts";

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
export const KEEP_ALIVE_MS = 4_000;

/** Of all headers of an answer: cookies and policies that proxies add can be long. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** @throws {ArgumentError} where WebAssembly is off and a proxy is set. */
export function openSocketPool(settings: DispatcherSettings): SocketPool {
  return hasWebAssembly() ? openUndiciPool(settings) : openPlainPool(settings);
}

function openUndiciPool(settings: DispatcherSettings): SocketPool {
  const sockets = new Set<Socket>();
  const tls = { ...settings.tls, timeout: settings.connectTimeoutMs } as buildConnector.BuildOptions;
  const options = {
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: settings.maxResponseBytes,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadlines of the transport hold for all phases; these timers are coarse and know only inactivity.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher = settings.proxy
    ? throughProxy(settings.proxy, { ...settings, ...{ options, tls, sockets } })
    : new Agent({ ...options, connect: tracked(buildConnector(tls), sockets) });
  return {
    dispatcher,
    destroy: async () => {
      // A socket that still connects is not known to the agent, so it would outlive it.
      for (const socket of sockets) socket.destroy();
      await dispatcher.destroy();
    },
  };
}

type ThroughProxy = Pick<DispatcherSettings, "connectTimeoutMs"> & {
  options: Agent.Options;
  tls: buildConnector.BuildOptions;
  sockets: Set<Socket>;
};

/**
 * An `http:` address is asked for by an ordinary request to the proxy, an `https:` one through a tunnel. What the TLS
 * settings hold is for the service alone: the proxy sees neither its client certificate nor its authority.
 */
function throughProxy(uri: string, { options, tls, sockets, connectTimeoutMs }: ThroughProxy): ProxyAgent {
  const proxyTls = { timeout: connectTimeoutMs };
  const connect = tracked(buildConnector(proxyTls), sockets);
  return new ProxyAgent({
    ...options,
    uri,
    proxyTunnel: false,
    requestTls: tls,
    proxyTls,
    // No deadline of a call reaches this far: a proxy that says nothing would keep its socket for ever.
    clientFactory: (origin) => new Pool(origin, { ...options, connect, headersTimeout: connectTimeoutMs }),
    // What asks without a tunnel gets a connector to the proxy and nothing else.
    factory: (origin, given: Pool.Options) =>
      new Pool(origin, { ...options, ...given, ...trackedIn(given, sockets) }),
  });
}

function trackedIn({ connect }: Pool.Options, sockets: Set<Socket>): Pick<Pool.Options, "connect"> {
  return typeof connect === "function" ? { connect: tracked(connect, sockets) } : {};
}

/** A connector that remembers its sockets until they close. */
function tracked(connect: buildConnector.connector, sockets: Set<Socket>): buildConnector.connector {
  return (options, callback) => {
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    // A server's last word comes as an error before the end: without this, the end alone would be told.
    socket.once("error", (error) => socket.destroy(error));
    socket.once("close", () => sockets.delete(socket));
  };
}
