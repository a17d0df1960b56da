import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOW_TO_GET_REDIS, redisPath } from "../../scripts/lib/engines.mjs";
import { HOST } from "../../scripts/lib/ports.mjs";
import type { Certificate } from "./certificates.ts";
import { EngineProcess } from "./engine-process.ts";
import { EngineServer } from "./engine-server.ts";
import { isInstalled } from "./installed.ts";

/** Whether there is a Redis or Valkey: see `isInstalled`. */
export function hasRedis(): boolean {
  return isInstalled("Redis", redisPath(), HOW_TO_GET_REDIS);
}

export type RedisOptions = {
  /** More arguments, such as `["--maxmemory", "1mb"]`. */
  settings?: readonly string[];
  /** It takes TLS only, with it. */
  certificate?: Certificate;
  /** With it, it takes only clients that show a certificate of this authority. */
  clientAuthority?: string;
};

/** A Redis server of its own, empty, on a free port. What it has answered survives a kill. */
export class RedisServer extends EngineServer {
  static async start({
    settings = [],
    certificate,
    clientAuthority,
  }: RedisOptions = {}): Promise<RedisServer> {
    const command = redisPath();
    if (command === undefined) throw new Error(`There is no Redis. ${HOW_TO_GET_REDIS}`);
    const password = randomBytes(12).toString("hex");
    const folder = await mkdtemp(join(tmpdir(), "crec-redis-"));
    const tls = certificate === undefined ? [] : await tlsArguments(certificate, folder, clientAuthority);
    const process = await EngineProcess.start({
      folder,
      command,
      args: (port) => [
        ...["--bind", HOST, ...(certificate ? ["--port", "0", "--tls-port"] : ["--port"]), String(port)],
        ...["--dir", folder, "--requirepass", password, ...tls],
        ...["--appendonly", "yes", "--appendfsync", "always", "--save", "", ...settings],
      ],
      options: { cwd: folder },
      ready: /Ready to accept connections/,
      notYet: /Address already in use/,
      stopSignal: "SIGTERM",
    });
    return new RedisServer(password, process);
  }

  /** A sentinel that knows a server as the primary one of this name. */
  static async startSentinel(
    primary: RedisServer,
    name: string,
    certificate?: Certificate,
  ): Promise<RedisServer> {
    const command = redisPath();
    if (command === undefined) throw new Error(`There is no Redis. ${HOW_TO_GET_REDIS}`);
    const password = randomBytes(12).toString("hex");
    const folder = await mkdtemp(join(tmpdir(), "crec-sentinel-"));
    const file = join(folder, "sentinel.conf");
    const lines = [
      `sentinel monitor ${name} ${HOST} ${primary.port} 1`,
      `sentinel auth-pass ${name} ${primary.password}`,
      `requirepass ${password}`,
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    const port = certificate ? ["--port", "0", "--tls-replication", "yes", "--tls-port"] : ["--port"];
    const tls = certificate ? await tlsArguments(certificate, folder, certificate.cert, "no") : [];
    const process = await EngineProcess.start({
      folder,
      command,
      args: (free) => [file, "--sentinel", "--bind", HOST, ...port, String(free), "--dir", folder, ...tls],
      options: { cwd: folder },
      ready: /Sentinel ID is/,
      notYet: /Address already in use/,
      stopSignal: "SIGTERM",
    });
    return new RedisServer(password, process);
  }

  /** Its URL through a proxy on 127.0.0.1, or with another password. */
  override urlAt(port: number, { password = this.password }: { password?: string } = {}): string {
    return `redis://:${password}@${HOST}:${port}`;
  }
}

async function tlsArguments(
  { cert, key }: Certificate,
  folder: string,
  authority = "",
  clients = authority === "" ? "no" : "yes",
): Promise<string[]> {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const caFile = join(folder, "ca.pem");
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  await writeFile(caFile, authority);
  const trusted = authority === "" ? [] : ["--tls-ca-cert-file", caFile];
  return ["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-auth-clients", clients, ...trusted];
}
