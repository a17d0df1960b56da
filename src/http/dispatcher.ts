import { Socket } from "node:net";
import { Agent, buildConnector, Pool, ProxyAgent } from "undici";
import { openPlainPool } from "./plain-dispatcher.ts";
import { type DispatcherSettings, KEEP_ALIVE_MS, MAX_HEADER_BYTES, type SocketPool } from "./socket-pool.ts";
import { hasWebAssembly } from "./web-assembly.ts";

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
    // The deadlines of the transport cover all phases; these timers are coarse and measure only inactivity.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher = settings.proxy
    ? throughProxy(settings.proxy, { ...settings, ...{ options, tls, sockets } })
    : new Agent({ ...options, connect: tracked(buildConnector(tls), sockets) });
  return {
    dispatcher,
    destroy: async () => {
      // The agent does not know a socket that is still connecting, and would leave it open.
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
 * An `http:` address is requested from the proxy directly, an `https:` one through a tunnel. The TLS settings are for the
 * service only: the proxy sees neither the client certificate nor the certificate authority.
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
    // No deadline of a call covers this: a proxy that never answers would keep its socket open.
    clientFactory: (origin) => new Pool(origin, { ...options, connect, headersTimeout: connectTimeoutMs }),
    // Requests without a tunnel get a connector to the proxy and nothing else.
    factory: (origin, given: Pool.Options) =>
      new Pool(origin, { ...options, ...given, ...trackedIn(given, sockets) }),
  });
}

function trackedIn({ connect }: Pool.Options, sockets: Set<Socket>): Pick<Pool.Options, "connect"> {
  return typeof connect === "function" ? { connect: tracked(onceThrough(connect), sockets) } : {};
}

/**
 * For a tunnel that the proxy closes before it answers: with its own code for that, undici would ask for the tunnel again
 * and again, until the deadline of the call.
 */
function onceThrough(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error === null) return callback(error, socket);
      const isClosed = (error as { code?: unknown }).code === "UND_ERR_SOCKET";
      callback(isClosed ? Object.assign(new Error(error.message), { code: "UND_ERR_ABORTED" }) : error, null);
    });
}

/** A connector that remembers its sockets until they close. */
function tracked(connect: buildConnector.connector, sockets: Set<Socket>): buildConnector.connector {
  return (options, callback) => {
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    // A server's last alert arrives as an error before the end: without this, only the end would be reported.
    socket.once("error", (error) => socket.destroy(error));
    socket.once("close", () => sockets.delete(socket));
  };
}
