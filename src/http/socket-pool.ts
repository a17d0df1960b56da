import * as http from "node:http";
import * as https from "node:https";
import { ArgumentError } from "../errors.ts";
import type { Hop } from "./hops.ts";
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

/** The part of an undici dispatcher that is used. */
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
export type SocketPool = {
  dispatcher: HttpDispatcher;
  /** On the way through a proxy: where all requests wait for a connection. */
  heldUpAt?: () => Hop | undefined;
  destroy: () => Promise<void>;
};

/** Many servers close idle sockets after 5 s: a request sent at that moment is lost. */
export const KEEP_ALIVE_MS = 4_000;

/** For all headers of an answer: cookies and policies that proxies add can be long. */
export const MAX_HEADER_BYTES = 64 * 1024;

type Outgoing = Parameters<HttpDispatcher["request"]>[0];
type Response = Awaited<ReturnType<HttpDispatcher["request"]>>;

/**
 * Sends with Node.js's own HTTP client where WebAssembly, which undici needs, is off. Slower, without proxies, and
 * otherwise the same to callers. Its errors have undici's codes.
 *
 * @throws {ArgumentError} naming `proxy` when one is set: it must not be bypassed.
 */
export function openPlainPool(settings: DispatcherSettings): SocketPool {
  if (settings.proxy !== undefined) {
    throw new ArgumentError(
      "proxy",
      "Proxies need WebAssembly, which is off in this Node.js (for example by --jitless). Start it with WebAssembly, or use no proxy.",
    );
  }
  const sockets = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const agents = {
    "http:": new http.Agent(sockets),
    "https:": new https.Agent({ ...settings.tls, ...sockets } as https.AgentOptions),
  };
  const running = new Set<http.ClientRequest>();
  const request = (outgoing: Outgoing): Promise<Response> =>
    new Promise((resolve, reject) => {
      const sent = begin(outgoing, agents);
      running.add(sent);
      sent.once("close", () => running.delete(sent));
      // Never removed: a second error must not end the process.
      sent.on("error", reject);
      sent.once("upgrade", (_answer, socket) => {
        socket.destroy();
        reject(coded("UND_ERR_SOCKET", "bad upgrade"));
      });
      sent.once("response", (answer) => {
        answer.on("error", () => {});
        const { statusCode = 0, headers } = answer;
        resolve({ statusCode, headers, body: bodyOf(answer, settings.maxResponseBytes) });
      });
      sent.end(outgoing.body);
    });
  return {
    dispatcher: { request },
    destroy: async () => {
      for (const sent of running) sent.destroy(coded("UND_ERR_DESTROYED", "The client is destroyed"));
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** @throws with undici's code for a header or a path that cannot be sent. */
function begin(
  { origin, path, method, headers, signal }: Outgoing,
  agents: { "http:": http.Agent; "https:": https.Agent },
): http.ClientRequest {
  // The path is sent as it is; only the origin is parsed.
  const { protocol, hostname, port } = new URL(origin);
  const options = {
    ...{ host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? undefined : Number(port) },
    ...{ path, method, headers, signal, maxHeaderSize: MAX_HEADER_BYTES },
  };
  try {
    return protocol === "https:"
      ? https.request({ ...options, agent: agents["https:"] })
      : http.request({ ...options, agent: agents["http:"] });
  } catch (error) {
    throw coded("UND_ERR_INVALID_ARG", error instanceof Error ? error.message : String(error));
  }
}

function bodyOf(answer: http.IncomingMessage, maxBytes: number): Body {
  const bytes = async () => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) {
        answer.destroy();
        throw coded("UND_ERR_RES_EXCEEDED_MAX_SIZE", "Response content exceeded max size");
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  return { bytes, text: async () => new TextDecoder().decode(await bytes()) };
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
