import { createHash } from "node:crypto";
import { once } from "node:events";
import { type ConnectionOptions, connect } from "node:tls";
import { Redis, type RedisOptions } from "ioredis";
import type { DriverSettings } from "../driver-settings.ts";
import { codeOf, networkProblem } from "../network-reason.ts";
import { checkEviction } from "./checks.ts";
import type { Reply, RunScript } from "./script.ts";

/** How long an answer about evictions counts: hosts change it while the server runs. */
const CHECKED_MS = 300_000;

/** For one more connection, after the client has given up. */
const ASK_MS = 1_000;

/** How long it waits for the server to close a connection. */
const DISCONNECT_MS = 100;

/** What the client says where no sentinel can be used, whatever the reason. */
export const NO_SENTINEL = /sentinels are unreachable/;

type RedisClient = {
  /** Resolves once it is connected and logged in. */
  readonly connected: Promise<void>;
  readonly isOpen: boolean;
  run: RunScript;
  close(): Promise<void>;
  destroy(): void;
};

/**
 * `now`: milliseconds that only rise. `onChecked` is told whether the server says what it evicts: with each connection, and
 * by the first call after five minutes.
 */
export type RedisChecks = { now: () => number; onChecked: (isKnown: boolean) => void };

/** One connection, which is not made again: nothing is queued for a later one. */
export function redisClient(settings: DriverSettings, { now, onChecked }: RedisChecks): RedisClient {
  const redis = new Redis(optionsOf(settings));
  // Calls only learn that the connection was closed; this is why.
  let failure: unknown;
  redis.on("error", (error: unknown) => {
    failure ??= error;
  });
  let checkedAt = 0;
  const name = (): void => void redis.client("SETNAME", "crec").catch(() => {});
  const check = async (): Promise<void> => {
    checkedAt = now();
    onChecked(await checkEviction(() => redis.info("memory")));
  };
  const connected = redis
    .connect()
    // Not with the login: a write after it would hide why a server ends a TLS connection.
    .then(name)
    .then(check)
    .catch(async (error) => {
      const known = failure ?? error;
      throw (await sentinelTlsFailure(settings, known)) ?? known;
    });
  return {
    connected,
    get isOpen() {
      return redis.status !== "end";
    },
    run: async (script, keys, values) => {
      if (now() - checkedAt >= CHECKED_MS) await check();
      return runScript(redis, script.text, keys, values);
    },
    close: async () => {
      await redis.quit();
    },
    destroy: () => redis.disconnect(),
  };
}

const hashes = new Map<string, string>();

function hashOf(text: string): string {
  const hash = hashes.get(text) ?? createHash("sha1").update(text).digest("hex");
  hashes.set(text, hash);
  return hash;
}

/** By its hash; its text is sent to a server that does not know it yet. */
async function runScript(
  redis: Redis,
  text: string,
  keys: readonly string[],
  values: readonly string[],
): Promise<Reply> {
  const given = [keys.length, ...keys, ...values] as const;
  try {
    return (await redis.call("EVALSHA", hashOf(text), ...given)) as Reply;
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return (await redis.call("EVAL", text, ...given)) as Reply;
  }
}

function optionsOf({
  hosts,
  user,
  password,
  database,
  tls,
  timeoutMs,
  sentinel,
}: DriverSettings): RedisOptions & { replyMapping: "legacy" } {
  const { host = "", port = 0 } = hosts[0] ?? {};
  const secure = tls && (tls.settings as ConnectionOptions);
  const place =
    sentinel === undefined
      ? { host, port, ...(secure && { tls: secure }) }
      : {
          sentinels: [...sentinel.sentinels],
          name: sentinel.name,
          ...(sentinel.password === undefined ? {} : { sentinelPassword: sentinel.password }),
          sentinelRetryStrategy: () => null,
          ...(secure && { tls: secure, sentinelTLS: secure, enableTLSForSentinelMode: true }),
        };
  return {
    ...place,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(database === "" ? {} : { db: Number(database) }),
    disableClientInfo: true,
    // What every server and proxy understands.
    protocol: 2,
    replyMapping: "legacy" as const,
    connectTimeout: timeoutMs,
    disconnectTimeout: DISCONNECT_MS,
    lazyConnect: true,
    // A server that is starting answers so itself.
    enableReadyCheck: false,
    retryStrategy: () => null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  };
}

/** Why no sentinel can be used, where that is TLS. */
async function sentinelTlsFailure({ sentinel, tls }: DriverSettings, error: unknown): Promise<unknown> {
  if (sentinel === undefined || tls === undefined || !NO_SENTINEL.test(String(error))) return undefined;
  const asked = sentinel.sentinels.map((place) => failureOf({ ...place, ...(tls.settings as object) }));
  const failures = await Promise.all(asked);
  return failures.find((one) => networkProblem(codeOf(one))?.kind === "refused");
}

async function failureOf(options: ConnectionOptions): Promise<unknown> {
  try {
    const socket = connect(options);
    try {
      await once(socket, "secureConnect", { signal: AbortSignal.timeout(ASK_MS) });
      return undefined;
    } finally {
      socket.on("error", () => {}).destroy();
    }
  } catch (error) {
    return error;
  }
}
