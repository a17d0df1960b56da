import { ArgumentError } from "../errors.ts";

/** What a URL of a server says. */
export type ServerUrl = {
  scheme: string;
  /** At least one; several for PostgreSQL only. */
  hosts: Array<{ host: string; port: number }>;
  user: string | undefined;
  password: string | undefined;
  /** Without the first slash. */
  path: string;
  query: ReadonlyMap<string, string>;
};

const PARTS = /^([a-z]+):\/\/(?:([^@]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?sslmode=require`. Several hosts may be separated by
 * commas.
 * @throws {ArgumentError} which does not repeat the URL, since it may contain a password
 */
export function parseServerUrl(url: string, defaultPort: number): ServerUrl {
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
export function hostsText(hosts: ServerUrl["hosts"]): string {
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
