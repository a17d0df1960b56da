import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { FROM_PARENT, readMessages } from "../../../rehearsal/shared/messages.ts";
import type { Attempt, Reach, Target } from "./attempts.ts";
import type { Tried } from "./hostile-child.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export const SECRET = "what-nobody-may-read";

/** What attempts could reach, all of it real, and what has reached it. */
export class Reachable {
  readonly folder: string;
  readonly target: Target;
  readonly seen: Record<Exclude<Reach, "file" | "read" | "nothing">, number>;
  readonly #close: () => Promise<void>;

  private constructor(folder: string, target: Target, seen: Reachable["seen"], close: () => Promise<void>) {
    this.folder = folder;
    this.target = target;
    this.seen = seen;
    this.#close = close;
  }

  static async open(): Promise<Reachable> {
    const folder = await mkdtemp(join(tmpdir(), "crec-hostile-"));
    const outside = join(folder, "outside");
    await mkdir(outside);
    await mkdir(join(folder, "work"));
    await writeFile(join(outside, "secret.txt"), `SECRET=${SECRET}`);
    const seen = { tcp: 0, udp: 0, dns: 0, pipe: 0, signal: 0 };
    const count = (name: keyof typeof seen) => () => {
      seen[name] += 1;
    };
    const pipe = join(folder, "s");
    const servers = [server(count("tcp")), server(count("pipe"))] as const;
    const sockets = [createSocket("udp4", count("udp")), createSocket("udp4", count("dns"))] as const;
    servers[0].listen(0, "127.0.0.1");
    servers[1].listen(pipe);
    for (const socket of sockets) socket.bind(0, "127.0.0.1");
    await Promise.all([...servers, ...sockets].map((each) => once(each, "listening")));
    const onSignal = count("signal");
    process.on("SIGUSR2", onSignal);
    const [udp, dns] = sockets.map((socket) => socket.address().port) as [number, number];
    const tcp = (servers[0].address() as AddressInfo).port;
    return new Reachable(folder, { tcp, udp, dns, pipe, outside, pid: process.pid }, seen, async () => {
      process.off("SIGUSR2", onSignal);
      for (const socket of sockets) socket.close();
      for (const each of servers) each.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    });
  }

  /** The files that were written where none may be. */
  async written(): Promise<string[]> {
    const names = await readdir(this.target.outside);
    return names.filter((name) => name !== "secret.txt").sort();
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** A server that ends each connection at once. */
function server(onConnection: () => void) {
  return createServer((socket) => {
    onConnection();
    socket.on("error", () => {});
    socket.destroy();
  });
}

/** The hostile process as one file, for every version of Node.js. */
export async function bundled(folder: string, name: string): Promise<string> {
  const { build } = await import("esbuild");
  const outfile = join(folder, `${name}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, "test/rehearsal/support", `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["esbuild"],
    logLevel: "silent",
  });
  return outfile;
}

/** Makes the attempts in a process with these flags. */
export async function attempt(
  { folder, target }: Pick<Reachable, "folder" | "target">,
  attempts: readonly Attempt[],
  {
    node,
    flags,
    program,
    isOpen,
  }: { node: string; flags: readonly string[]; program: string; isOpen?: boolean },
): Promise<Tried[]> {
  const args = [
    ...flags,
    "--no-warnings",
    program,
    JSON.stringify({ attempts, target }),
    isOpen ? "open" : "",
  ];
  const child = spawn(node, args, {
    cwd: join(folder, "work"),
    env: {},
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let tried: Tried[] | undefined;
  readMessages<{ kind: string; tried: Tried[] }>(child.stdio[3] as Duplex, FROM_PARENT, {
    onMessage: (message) => {
      tried = message.tried;
    },
    onWrong: () => child.kill("SIGKILL"),
    onEnd: () => {},
  });
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await once(child, "close");
  clearTimeout(late);
  if (tried === undefined) throw new Error(`The process ended without an answer: ${errors}`);
  return tried;
}

/** The flags that this Node.js has. */
export function flagsOf(node: string): ReadonlySet<string> {
  if (node === process.execPath) return process.allowedNodeEnvironmentFlags;
  const program = "console.log(JSON.stringify([...process.allowedNodeEnvironmentFlags]))";
  return new Set(JSON.parse(execFileSync(node, ["-e", program], { encoding: "utf8" })) as string[]);
}

/** One of another version: that of the environment variable `CREC_OTHER_NODE`, or one from outside the project. */
export function otherNode(): string | undefined {
  const { CREC_OTHER_NODE: given } = process.env;
  if (given !== undefined) return given;
  const folders = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  const found = folders.map((folder) => join(folder, "node")).find((path) => existsSync(path));
  if (found === undefined) return undefined;
  const version = execFileSync(found, ["--version"], { encoding: "utf8" }).trim();
  return version === process.version ? undefined : found;
}
