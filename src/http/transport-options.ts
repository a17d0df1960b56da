import {
  anything,
  callable,
  checkedBy,
  dictionary,
  either,
  flag,
  isText,
  type Kind,
  type Kinds,
  kindOf,
  like,
  listOf,
  milliseconds,
  oneOf,
  optional,
  options,
  positiveWhole,
  shape,
  signal,
  text,
} from "../options/index.ts";
import type { Call, CallOptions } from "./call.ts";
import { apiKeyOf, baseUrlOf, type QueryParameters } from "./call.ts";
import { Lane } from "./call-queue.ts";
import type { Hop } from "./hops.ts";
import type { ProxySettings } from "./proxy.ts";
import type { HttpDispatcher, TlsSettings } from "./socket-pool.ts";

export type TransportOptions = Hooks & {
  /** `http` or `https`, without credentials, query or fragment. */
  baseUrl: string;
  apiKey: string;
  /** How long a whole call with its retries may take, in milliseconds. @default 30_000 */
  timeoutMs?: number | undefined;
  /**
   * How long one attempt may take until its body is read, in milliseconds.
   * @default the larger of 10_000 and a third of `timeoutMs`
   */
  attemptTimeoutMs?: number | undefined;
  /** Attempts of a call that may be repeated. @default 4 */
  maxAttempts?: number | undefined;
  /** Calls on the wire at the same time; the others queue. @default 16 */
  maxConcurrency?: number | undefined;
  /**
   * Requests a minute, retries included. Calls that change something come first, then other calls, then the polls of
   * event consumers, which take turns by channel; reads and polls get at least one of eight requests each. A call whose
   * turn does not come in its time fails with `BUDGET_EXHAUSTED`; polls wait.
   * @default no limit, but as the service's `RateLimit` headers say
   */
  requestsPerMinute?: number | undefined;
  /**
   * Called before each attempt of a call waits for its turn. What it throws ends the call, and nothing is sent; with
   * `"last"` the attempt takes turns with the polls of event consumers.
   * @default none
   */
  admit?: (() => "last" | undefined) | undefined;
  /** Largest body that is read, in bytes, before and after decompression. @default 33_554_432 (32 MiB) */
  maxResponseBytes?: number | undefined;
  /** TLS settings for the service, not for a proxy. @default those of Node.js */
  tls?: TlsSettings | undefined;
  /**
   * A proxy, or its URL; or `"environment"` for what `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
   * It is chosen for each address.
   * @default none
   */
  proxy?: string | ProxySettings | undefined;
  /** Sends the requests, such as an undici Agent or MockAgent. `close` does not close it. @default a pool of its own */
  dispatcher?: HttpDispatcher | undefined;
};

/** One attempt of a call, without its body and without the key in any text. */
export type RequestInfo = {
  method: string;
  /** The whole address, with its query. */
  url: string;
  /** 1 for the first, more for retries. */
  attempt: number;
  /** Without `authorization`. */
  headers: Readonly<Record<string, string>>;
};

export type ResponseInfo = Omit<RequestInfo, "headers"> & {
  /** Until the body was read, or the attempt failed, in milliseconds. */
  durationMs: number;
  /** Set when there was an answer. */
  status?: number;
  requestId?: string;
  /**
   * The code of the error when there was no answer, such as `SERVICE_UNREACHABLE`, and when the answer refuses the key
   * or its rights (401 and 403), such as `KEY_REFUSED`.
   */
  errorCode?: string;
  /** Where an attempt without an answer failed: as in its error. */
  hop?: Hop;
  /** The host and port that failed there. */
  host?: string;
};

/** Called for each attempt, for logs and metrics. Errors that a hook throws are ignored. */
export type Hooks = {
  /** Called before an attempt is sent. @default none */
  onRequest?: ((info: RequestInfo) => void) | undefined;
  /** Called after an attempt. @default none */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
};

export const CALL_OPTIONS: Kinds<CallOptions> = {
  signal: optional(signal),
  timeoutMs: optional(milliseconds),
};

/** @throws {ArgumentError} naming the option. */
export const callOptions = options<CallOptions>(CALL_OPTIONS);

const pem = kindOf<string | Uint8Array>(
  "PEM text or its bytes",
  (value) => typeof value === "string" || value instanceof Uint8Array,
);

const pems = either(Array.isArray, listOf(pem), pem);

/** As it is: Node.js takes more settings than these. */
export const tlsKind: Kind<TlsSettings> = like<TlsSettings>({
  ca: optional(pems),
  cert: optional(pem),
  key: optional(pem),
  passphrase: optional(text),
  servername: optional(text),
  rejectUnauthorized: optional(flag),
});

/** What its address must be says `proxyFor`. */
export const proxyKind: Kind<string | ProxySettings> = either(
  isText,
  text,
  shape<ProxySettings>({ url: text, except: optional(listOf(text)) }),
);

export const TRANSPORT_OPTIONS: Kinds<TransportOptions> = {
  baseUrl: checkedBy((url: string) => baseUrlOf(url)),
  apiKey: checkedBy(apiKeyOf),
  timeoutMs: optional(milliseconds),
  attemptTimeoutMs: optional(milliseconds),
  maxAttempts: optional(positiveWhole),
  maxConcurrency: optional(positiveWhole),
  requestsPerMinute: optional(positiveWhole),
  admit: optional(callable()),
  maxResponseBytes: optional(positiveWhole),
  tls: optional(tlsKind),
  proxy: optional(proxyKind),
  dispatcher: optional(like<HttpDispatcher>({ request: callable() })),
  onRequest: optional(callable()),
  onResponse: optional(callable()),
};

const parameter = kindOf<QueryParameters[string]>(
  "text, a number, true, false, or a list of texts",
  (value) =>
    ["string", "boolean", "undefined"].includes(typeof value) ||
    Number.isFinite(value) ||
    (Array.isArray(value) && value.every(isText)),
);

/** @throws {ArgumentError} naming the option. */
export const transportOptions = options<TransportOptions>(TRANSPORT_OPTIONS);

/** Of any call. */
export const callOf = options<Call>({
  ...CALL_OPTIONS,
  method: oneOf("GET", "POST", "PATCH", "PUT", "DELETE"),
  path: text,
  query: optional(dictionary(parameter)),
  // What cannot be written as JSON is refused where it is written.
  body: anything(),
  headers: optional(dictionary(text)),
  anonymous: optional(flag),
  idempotent: optional(flag),
  lane: optional(kindOf<Lane>("a lane of the client", (value) => value instanceof Lane)),
  onTurn: optional(callable()),
  read: optional(callable()),
});

/** Calls a hook, and ignores what it throws. */
export function callHook<T>(hook: ((info: T) => unknown) | undefined, info: T): void {
  try {
    const result = hook?.(info);
    // Nothing awaits a hook, so nothing else catches what an asynchronous one throws.
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A failing logger must not stop a call.
  }
}
