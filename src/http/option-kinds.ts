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
import { Lane } from "./lane.ts";
import type { ProxySettings } from "./proxy.ts";
import { apiKeyOf, baseUrlOf, type QueryParameters } from "./settings.ts";
import type { HttpDispatcher, TlsSettings } from "./socket-pool.ts";
import type { TransportOptions } from "./transport-options.ts";

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
