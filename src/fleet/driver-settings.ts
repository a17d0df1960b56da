import { ArgumentError } from "../errors.ts";
import type { TlsSettings } from "../http/index.ts";

/** Servers that know which Redis is the primary one now. */
export type RedisSentinel = {
  sentinels: ReadonlyArray<{ host: string; port: number }>;
  /** The name they have for the group of Redis servers. */
  name: string;
  /** Of the sentinels, where it differs from the password of Redis, which is in the URL. */
  password?: string | undefined;
};

export type SharedStateOptions = {
  /**
   * Different ones do not meet, on the same server: the schema in PostgreSQL, the first part of the keys in Redis.
   * Lower case letters, digits and underscores.
   * @default "crec"
   */
  namespace?: string | undefined;
  /** Asks these for the server instead of calling the host of the URL. For `redis://` and `rediss://`. */
  sentinel?: RedisSentinel | undefined;
  /** Short for `tls: { ca }`: certificates to trust instead of the usual ones, in PEM format. */
  ca?: string | undefined;
  /**
   * With these, the server and its sentinels must have TLS. Their certificate is checked unless `rejectUnauthorized` is
   * false and the URL has no `sslmode=verify-full`. A URL that says that there is no TLS is an error.
   */
  tls?: TlsSettings | undefined;
  /**
   * A call rejects after this time without an answer. Milliseconds.
   * @default 5_000
   */
  timeoutMs?: number | undefined;
};

/** What a URL of a server says. */
type ServerUrl = {
  scheme: string;
  /** At least one; several for PostgreSQL only. */
  hosts: Array<{ host: string; port: number }>;
  user: string | undefined;
  password: string | undefined;
  /** Without the first slash. */
  path: string;
  query: ReadonlyMap<string, string>;
};

/** `isOptional`: without TLS where the server has none. */
export type TlsMode = { isOptional: boolean; settings: TlsSettings };

/** Where a server is and how to call it, from the URL and the options, all of which are checked. */
export type DriverSettings = Pick<ServerUrl, "hosts" | "user" | "password" | "query"> & {
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

const PARTS = /^([a-z]+):\/\/(?:([^@]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;

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
export function postgresSettings(url: string, options: SharedStateOptions): DriverSettings {
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
export function redisSettings(url: string, options: SharedStateOptions): DriverSettings {
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

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?sslmode=require`. Several hosts may be separated by
 * commas.
 * @throws {ArgumentError} which does not repeat the URL, since it may contain a password
 */
function parseServerUrl(url: string, defaultPort: number): ServerUrl {
  const [, scheme = "", credentials, hosts = "", path = "", query = ""] = PARTS.exec(url.trim()) ?? [];
  if (scheme === "") throw malformed();
  const [user, password] = splitAtColon(credentials ?? "").map((part) => decoded(part) || undefined);
  return {
    scheme,
    hosts: hosts.split(",").map((host) => hostOf(host, defaultPort)),
    user,
    password,
    path: decoded(path),
    query: new Map(new URLSearchParams(query)),
  };
}

/** `host:port, host:port`, for people. */
function hostsText(hosts: ServerUrl["hosts"]): string {
  return hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`).join(", ");
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } {
  const [, host, digits] = HOST.exec(text) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port > 65_535 || port === 0) throw malformed();
  return { host: decoded(host).replaceAll(/[[\]]/g, ""), port };
}

function splitAtColon(text: string): [string, string] {
  const at = text.indexOf(":");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function malformed(): ArgumentError {
  return new ArgumentError(
    "url",
    "The URL of the shared state cannot be read. Write it like postgres://user:password@host:5432/database or redis://user:password@host:6379, and percent-encode special characters in the user and password: @ as %40, : as %3A, % as %25.",
  );
}
