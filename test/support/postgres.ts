import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { HOW_TO_GET_POSTGRES, postgresFolder } from "../../scripts/lib/engines.mjs";
import { HOST } from "../../scripts/lib/ports.mjs";
import type { Certificate } from "./certificates.ts";
import { EngineProcess } from "./engine-process.ts";
import { EngineServer } from "./engine-server.ts";
import { isInstalled } from "./installed.ts";
import { shared } from "./shared.ts";

const USER = "crec";
const DATABASE = "postgres";
/** PostgreSQL refuses to run as root: then it runs as this user, whom every system has. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Whether there is a PostgreSQL: see `isInstalled`. */
export function hasPostgres(): boolean {
  return isInstalled("PostgreSQL", postgresFolder(), HOW_TO_GET_POSTGRES);
}

export type PostgresOptions = {
  /** Such as `["max_connections=20"]`. */
  settings?: readonly string[];
  /** It offers TLS with it. */
  certificate?: Certificate;
  /** With it, it takes only clients that show a certificate of this authority. */
  clientAuthority?: string;
};

/** A PostgreSQL server of its own, with an empty database, on a free port. What it has committed survives a kill. */
export class PostgresServer extends EngineServer {
  static async start({
    settings = [],
    certificate,
    clientAuthority,
  }: PostgresOptions = {}): Promise<PostgresServer> {
    const programs = join(await binaries(), "bin");
    const password = randomBytes(12).toString("hex");
    const folder = await mkdtemp(join(tmpdir(), "crec-postgres-"));
    const data = join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    const passwordFile = join(folder, "password");
    await writeFile(passwordFile, password);
    const certificateFiles = certificate === undefined ? [] : await written(certificate, folder);
    const [cert = "", key = ""] = certificateFiles;
    const tls = certificate === undefined ? [] : ["ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`];
    for (const path of isRoot() ? [folder, data, passwordFile, ...certificateFiles] : [])
      await chown(path, NOBODY.uid, NOBODY.gid);
    await promisify(execFile)(
      join(programs, "initdb"),
      [
        ...["--pgdata", data, "--username", USER, "--pwfile", passwordFile, "--auth", "scram-sha-256"],
        ...["--encoding", "UTF8", "--locale", "C", "--no-sync"],
      ],
      asUser(folder),
    );
    if (clientAuthority !== undefined) {
      const caFile = join(folder, "ca.pem");
      await writeFile(caFile, clientAuthority, { mode: 0o644 });
      await writeFile(join(data, "pg_hba.conf"), "hostssl all all all scram-sha-256 clientcert=verify-ca\n");
      tls.push(`ssl_ca_file=${caFile}`);
    }
    const process = await EngineProcess.start({
      folder,
      command: join(programs, "postgres"),
      args: (port) => [
        ...["-D", data],
        ...[`listen_addresses=${HOST}`, `port=${port}`, "unix_socket_directories=", "shared_buffers=16MB"]
          .concat(tls, settings)
          .flatMap((setting) => ["-c", setting]),
      ],
      options: asUser(folder),
      ready: /database system is ready to accept connections/,
      // What a killed server shared with its children is free once they have noticed.
      notYet: /pre-existing shared memory block|lock file .* already exists|starting up/,
      stopSignal: "SIGINT",
    });
    return new PostgresServer(password, process);
  }

  /** Its URL through a proxy on 127.0.0.1, or with other parts. */
  override urlAt(
    port: number,
    { user = USER, password = this.password }: { user?: string; password?: string } = {},
  ): string {
    return `postgres://${user}:${password}@${HOST}:${port}/${DATABASE}`;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function asUser(cwd: string) {
  return { cwd, ...(isRoot() ? NOBODY : {}) };
}

type Link = { source: string; target: string };

/** PostgreSQL uses a key only if nobody else can read it. */
async function written({ cert, key }: Certificate, folder: string): Promise<string[]> {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key, { mode: 0o600 });
  return [certFile, keyFile];
}

/** The folder to run it from: a copy where the installed one cannot be used as it is. */
const binaries = shared(
  async () => {
    const installed = postgresFolder();
    if (installed === undefined) throw new Error(`There is no PostgreSQL. ${HOW_TO_GET_POSTGRES}`);
    const links = await linksIn(installed);
    // Its install script makes the links: where that may not run, they are missing.
    const isWhole = links.every(({ target }) => existsSync(join(installed, "..", target)));
    if (isWhole && !isRoot()) return installed;
    if (isRoot()) await letOthersEnter(tmpdir());
    const folder = await mkdtemp(join(tmpdir(), "crec-postgres-programs-"));
    await chmod(folder, 0o755);
    const copy = join(folder, "native");
    await cp(installed, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a"),
    });
    for (const { source, target } of links) {
      const path = join(folder, target);
      if (!existsSync(path)) await symlink(join(folder, source), path);
    }
    for (const name of await readdir(join(copy, "bin"))) await chmod(join(copy, "bin", name), 0o755);
    return copy;
  },
  async (folder) => {
    if (folder !== postgresFolder()) await rm(join(folder, ".."), { recursive: true, force: true });
  },
);

async function linksIn(installed: string): Promise<Link[]> {
  const path = join(installed, "pg-symlinks.json");
  return existsSync(path) ? JSON.parse(await readFile(path, "utf8")) : [];
}

/** The folder of a test run is closed to other users. They may enter it then, and still not list it. */
export async function letOthersEnter(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) await chmod(folder, mode | 0o011);
}
