import { ArgumentError } from "../errors.ts";
import { tlsKind } from "../http/index.ts";
import { loadPart } from "../load-part.ts";
import {
  like,
  listOf,
  name,
  optional,
  options as optionsOf,
  positiveWhole,
  text,
  whole,
} from "../options/index.ts";
import type { SharedState } from "../ownership/index.ts";
import type { RedisSentinel, SharedStateOptions } from "./driver-settings.ts";
import { postgresSettings, redisSettings } from "./driver-settings.ts";
import { DriverState } from "./driver-state.ts";

const stateOptions = optionsOf<SharedStateOptions>({
  namespace: optional(text),
  sentinel: optional(
    like<RedisSentinel>({
      sentinels: listOf(like<{ host: string; port: number }>({ host: name, port: whole(1, 65_535) })),
      name: text,
      password: optional(text),
    }),
  ),
  ca: optional(text),
  tls: optional(tlsKind),
  timeoutMs: optional(positiveWhole),
});

/**
 * The state that several copies of a program share, in PostgreSQL (12 or later), or in Redis (5 or later) or Valkey.
 * The code for each is loaded only when it is used. Connects with the first call, and again by itself after a
 * connection was lost.
 *
 * `postgres://user:password@host:port/database`; several hosts may be separated by commas. `?sslmode=` chooses TLS:
 * `disable`, `prefer` (the default: where the server has it), `require`, or `verify-full`, which also checks the
 * certificate. `redis://user:password@host:port/number`, or `rediss://` for TLS with a checked certificate.
 *
 * @throws {ArgumentError} when the URL or an option is wrong. The error does not repeat the URL.
 * @throws {CrecError} `PACKAGE_DAMAGED` when the code for it cannot be loaded.
 * @example
 * const shared = await openSharedState("postgres://crec:secret@db.example.com/app");
 * shared.label; // → "PostgreSQL at db.example.com:5432"
 * await shared.close();
 */
export async function openSharedState(url: string, options?: SharedStateOptions): Promise<SharedState> {
  const given = stateOptions(options);
  const scheme = /^\s*([a-z]+):\/\//.exec(text(url, "url"))?.[1];
  if (scheme === "postgres" || scheme === "postgresql") {
    const settings = postgresSettings(url, given);
    const { postgresDriver } = await loadPart(
      "the client of PostgreSQL",
      () => import("./postgres/index.ts"),
    );
    return new DriverState(postgresDriver(settings), settings.timeoutMs);
  }
  if (scheme === "redis" || scheme === "rediss") {
    const settings = redisSettings(url, given);
    const { redisDriver } = await loadPart("the client of Redis", () => import("./redis/index.ts"));
    return new DriverState(redisDriver(settings), settings.timeoutMs);
  }
  throw unknownScheme();
}

function unknownScheme(): ArgumentError {
  return new ArgumentError(
    "url",
    "The URL of the shared state must begin with postgres://, postgresql://, redis:// or rediss:// (Redis with TLS).",
  );
}
