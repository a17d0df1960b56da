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
