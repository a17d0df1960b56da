import { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici";
import { type Hop, HopCount, hopError } from "./hops.ts";
import {
  type DispatcherSettings,
  KEEP_ALIVE_MS,
  MAX_HEADER_BYTES,
  openPlainPool,
  type SocketPool,
} from "./socket-pool.ts";

/** @throws {ArgumentError} where WebAssembly is off and a proxy is set. */
export function openSocketPool(settings: DispatcherSettings): SocketPool {
  return hasWebAssembly() ? openUndiciPool(settings) : openPlainPool(settings);
}

function openUndiciPool(settings: DispatcherSettings): SocketPool {
  const sockets = new Set<Socket>();
  const hops = new HopCount();
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
    ? throughProxy(settings.proxy, { ...settings, ...{ options, tls, sockets, hops } })
    : new Agent({ ...options, connect: tracked(buildConnector(tls), sockets) });
  return {
    dispatcher,
    heldUpAt: () => hops.heldUpAt(),
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
  hops: HopCount;
};

/**
 * An `http:` address is requested from the proxy directly, an `https:` one through a tunnel. The TLS settings are for the
 * service only: the proxy sees neither the client certificate nor the certificate authority.
 */
function throughProxy(
  uri: string,
  { options, tls, sockets, hops, connectTimeoutMs }: ThroughProxy,
): ProxyAgent {
  const proxyTls = { timeout: connectTimeoutMs };
  const toProxy = atHop("proxy", tracked(buildConnector(proxyTls), sockets), hops);
  const proxy = new URL(uri).href;
  return new ProxyAgent({
    ...options,
    uri,
    proxyTunnel: false,
    requestTls: tls,
    proxyTls,
    // No deadline of a call covers this: a proxy that never answers would keep its socket open.
    clientFactory: (origin) =>
      new TunnelPool(origin, { ...options, connect: toProxy, headersTimeout: connectTimeoutMs }, hops),
    // Requests without a tunnel get a connector to the proxy and nothing else.
    factory: (origin, given: Pool.Options) => {
      const isTunnel = String(origin) !== proxy;
      const connect = isTunnel ? atHop("service", connectorIn(given), hops) : toProxy;
      return new Pool(origin, { ...options, ...given, connect: opening(connect, hops) });
    },
  });
}

function connectorIn({ connect }: Pool.Options): buildConnector.connector {
  return typeof connect === "function" ? connect : buildConnector(connect ?? {});
}

/** The connections to a proxy, which opens tunnels. */
class TunnelPool extends Pool {
  readonly #hops: HopCount;

  constructor(origin: string | URL, options: Pool.Options, hops: HopCount) {
    super(origin, options);
    this.#hops = hops;
  }

  override async connect(
    options: Omit<Dispatcher.ConnectOptions, "origin">,
  ): Promise<Dispatcher.ConnectData> {
    const end = this.#hops.begin("tunnel");
    try {
      return await super.connect(options);
    } catch (error) {
      throw hopError("tunnel", error);
    } finally {
      end();
    }
  }
}

/**
 * A connector whose errors say where they happened. For some of undici's codes it would ask again and again, until the
 * deadline of the call: these errors have no code.
 */
function atHop(hop: Hop, connect: buildConnector.connector, hops: HopCount): buildConnector.connector {
  return (options, callback) => {
    const end = hops.begin(hop);
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      end();
      if (error) return callback(hopError(hop, error), null);
      callback(null, socket);
    });
  };
}

/** A connector whose sockets carry the requests. */
function opening(connect: buildConnector.connector, hops: HopCount): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null);
      hops.opened(socket);
      callback(null, socket);
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

/** The shortest module: an empty one. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** The part that is used: not every set of types has it. */
type Global = { WebAssembly?: { Module: new (bytes: Uint8Array) => unknown } };

/** Whether WebAssembly works: `--jitless` turns it off, and so may a policy. */
function hasWebAssembly(): boolean {
  const { WebAssembly } = globalThis as Global;
  if (WebAssembly === undefined) return false;
  try {
    new WebAssembly.Module(EMPTY_MODULE);
    return true;
  } catch {
    return false;
  }
}
