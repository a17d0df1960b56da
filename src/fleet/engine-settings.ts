import { ArgumentError } from "../errors.ts";
import type { TlsSettings } from "../http/index.ts";
import type { RedisSentinel, SharedStateOptions } from "./options.ts";
import { hostsText, parseServerUrl, type ServerUrl } from "./server-url.ts";

/** `isOptional`: without TLS where the server has none. */
export type TlsMode = { isOptional: boolean; settings: TlsSettings };

/** Where a server is and how to call it, from the URL and the options, all of which are checked. */
export type EngineSettings = Pick<ServerUrl, "hosts" | "user" | "password" | "query"> & {
  label: string;
  /** A name in PostgreSQL, a number in Redis. Empty for the default one. */
  database: string;
  tls: TlsMode | undefined;
  namespace: string;
  timeoutMs: number;
  sentinel: RedisSentinel | undefined;
};

const DEFAULT_TIMEOUT_MS = 5_000;
/** It becomes part of statements: of names in PostgreSQL, which have at most 63 bytes. */
const NAMESPACE = /^[a-z][a-z0-9_]{0,30}$/;

/** The modes of PostgreSQL's own clients. */
const SSL_MODES: Readonly<Record<string, TlsMode | undefined>> = {
  disable: undefined,
  allow: { isOptional: true, settings: { rejectUnauthorized: false } },
  prefer: { isOptional: true, settings: { rejectUnauthorized: false } },
  require: { isOptional: false, settings: { rejectUnauthorized: false } },
  "verify-ca": { isOptional: false, settings: { rejectUnauthorized: true } },
  "verify-full": { isOptional: false, settings: { rejectUnauthorized: true } },
};

/** @throws {ArgumentError} */
export function postgresSettings(url: string, options: SharedStateOptions): EngineSettings {
  const { path, ...parts } = parseServerUrl(url, 5432);
  if (options.sentinel !== undefined) throw sentinelWithoutRedis();
  const mode = parts.query.get("sslmode") ?? "prefer";
  if (!Object.hasOwn(SSL_MODES, mode)) throw wrongSslMode();
  return {
    ...parts,
    ...common(options),
    label: `PostgreSQL at ${hostsText(parts.hosts)}`,
    database: path,
    tls: postgresTls(SSL_MODES[mode], tlsOf(options)),
    sentinel: undefined,
  };
}

/** @throws {ArgumentError} */
export function redisSettings(url: string, options: SharedStateOptions): EngineSettings {
  const { path, scheme, ...parts } = parseServerUrl(url, 6379);
  const { sentinel } = options;
  if (parts.hosts.length > 1) throw severalHosts();
  if (!/^\d{0,5}$/.test(path)) throw wrongDatabase();
  if (sentinel !== undefined && (sentinel.sentinels.length === 0 || sentinel.name === ""))
    throw wrongSentinel();
  const settings = tlsOf(options);
  if (settings && scheme === "redis") throw withoutTls();
  const tls = scheme === "rediss" ? { isOptional: false, settings: settings ?? {} } : undefined;
  const place = sentinel === undefined ? hostsText(parts.hosts) : `${sentinel.name} (Sentinel)`;
  return { ...parts, ...common(options), label: `Redis at ${place}`, database: path, tls, sentinel };
}

/** Undefined where the options say nothing about TLS. */
function tlsOf({ ca, tls }: SharedStateOptions): TlsSettings | undefined {
  return ca === undefined ? tls : { ca, ...tls };
}

/** Of the URL and of the options, the stricter one counts. */
function postgresTls(mode: TlsMode | undefined, given: TlsSettings | undefined): TlsMode | undefined {
  if (given === undefined) return mode;
  if (mode === undefined) throw withoutTls();
  const isChecked = mode.settings.rejectUnauthorized === true || given.rejectUnauthorized !== false;
  return { isOptional: false, settings: { ...given, rejectUnauthorized: isChecked } };
}

function common({ namespace = "crec", timeoutMs = DEFAULT_TIMEOUT_MS }: SharedStateOptions) {
  if (!NAMESPACE.test(namespace)) throw wrongNamespace();
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) throw wrongTimeout();
  return { namespace, timeoutMs };
}

function wrongSslMode(): ArgumentError {
  const modes = Object.keys(SSL_MODES).join(", ");
  return new ArgumentError("url", `The sslmode in the URL of the shared state must be one of ${modes}.`);
}

function withoutTls(): ArgumentError {
  return new ArgumentError(
    "url",
    "The URL of the shared state says that there is no TLS, and the options ca and tls are for TLS. Begin it with rediss://, or remove sslmode=disable; or omit the options.",
  );
}

function severalHosts(): ArgumentError {
  return new ArgumentError(
    "url",
    "A Redis URL names one host. For several servers of which one is the primary, give their sentinels as the option sentinel.",
  );
}

function wrongDatabase(): ArgumentError {
  return new ArgumentError("url", "The path of a Redis URL is the number of a database, such as /0.");
}

function sentinelWithoutRedis(): ArgumentError {
  return new ArgumentError(
    "sentinel",
    "Sentinels belong to Redis: use a redis:// or rediss:// URL, or omit them.",
  );
}

function wrongSentinel(): ArgumentError {
  return new ArgumentError(
    "sentinel",
    "Sentinels need at least one host and port, and the name that they have for the group of Redis servers.",
  );
}

function wrongNamespace(): ArgumentError {
  return new ArgumentError(
    "namespace",
    "The namespace must begin with a lower case letter and consist of at most 31 lower case letters, digits and underscores.",
  );
}

function wrongTimeout(): ArgumentError {
  return new ArgumentError("timeoutMs", "timeoutMs must be a whole number of milliseconds above 0.");
}
