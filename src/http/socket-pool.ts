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
