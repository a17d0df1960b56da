import * as http from "node:http";
import * as https from "node:https";
import { ArgumentError } from "../errors.ts";
import type { Body } from "./inflate.ts";
import {
  type DispatcherSettings,
  type HttpDispatcher,
  KEEP_ALIVE_MS,
  MAX_HEADER_BYTES,
  type SocketPool,
} from "./socket-pool.ts";

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
