import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOW_TO_GET_REDIS, redisPath } from "../../scripts/lib/engines.mjs";
import { HOST } from "../../scripts/lib/ports.mjs";
import { EngineProcess } from "./engine-process.ts";

/**
 * Whether there is a Redis or Valkey. Without one, tests that need it skip themselves, and the summary of the run says
 * so.
 *
 * @throws where CI is set: there, a test that does not run is a failure.
 */
export function hasRedis(): boolean {
  if (redisPath() !== undefined) return true;
  if (process.env.CI) throw new Error(`There is no Redis. ${HOW_TO_GET_REDIS}`);
  return false;
}

export type RedisOptions = {
  /** More arguments, such as `["--maxmemory", "1mb"]`. */
  settings?: readonly string[];
};

/** A Redis server of its own, empty, on a free port. What it has answered survives a kill. */
export class RedisServer {
  readonly password: string;
  readonly #process: EngineProcess;

  private constructor(password: string, process: EngineProcess) {
    this.password = password;
    this.#process = process;
  }

  static async start({ settings = [] }: RedisOptions = {}): Promise<RedisServer> {
    const command = redisPath();
    if (command === undefined) throw new Error(`There is no Redis. ${HOW_TO_GET_REDIS}`);
    const password = randomBytes(12).toString("hex");
    const folder = await mkdtemp(join(tmpdir(), "crec-redis-"));
    const process = await EngineProcess.start({
      folder,
      command,
      args: (port) => [
        ...["--bind", HOST, "--port", String(port), "--dir", folder, "--requirepass", password],
        ...["--appendonly", "yes", "--appendfsync", "always", "--save", "", ...settings],
      ],
      options: { cwd: folder },
      ready: /Ready to accept connections/,
      notYet: /Address already in use/,
      stopSignal: "SIGTERM",
    });
    return new RedisServer(password, process);
  }

  get port(): number {
    return this.#process.port;
  }

  /** With its password. */
  get url(): string {
    return this.urlAt(this.port);
  }

  /** Its URL through a proxy on 127.0.0.1, or with another password. */
  urlAt(port: number, { password = this.password }: { password?: string } = {}): string {
    return `redis://:${password}@${HOST}:${port}`;
  }

  /** In order. Its data stay. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Its data stay. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** With the same data, on the same port. */
  restart(): Promise<void> {
    return this.#process.restart();
  }

  /** Ends it and removes its data. */
  remove(): Promise<void> {
    return this.#process.remove();
  }
}
