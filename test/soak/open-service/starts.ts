import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readCommand } from "../../../service/src/command-line.ts";
import { type ReadyInfo, ServiceProblem, startService } from "../../../service/src/index.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** How a service is started. */
export type Start = {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** A module that is loaded first, of this folder. */
  first?: string;
  /** Another program than the command of the service. */
  script?: string;
};

/** Starts it with a folder of its own, and ends it afterwards. `ready` is undefined where it refused. */
export async function withService<T>(
  { args = [], env = {}, first, script = "service/src/cli.ts" }: Start,
  use: (ready: ReadyInfo | undefined, said: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "crec-open-"));
  const before = first === undefined ? [] : ["--import", join(import.meta.dirname, first)];
  const child = spawn(process.execPath, [...before, join(root, script), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // A host of the machine's own environment would be another way.
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, PORT: "0", CREC_SERVICE_PORT: "0", CREC_DATA_DIR: folder },
      ...{ CREC_LOCAL: "on", ...env },
    },
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  try {
    return await use(await readyOf(child), said);
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** The same in this process: a start that is refused takes no time. */
export async function withServiceHere<T>(
  { args = [], env = {} }: Start,
  use: (ready: ReadyInfo | undefined, said: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "crec-open-"));
  const all = { CREC_SERVICE_PORT: "0", CREC_DATA_DIR: folder, CREC_LOCAL: "on", ...env };
  try {
    const command = readCommand(args, all);
    if (typeof command === "string") throw new Error(`It does not start, but shows its ${command}.`);
    const service = await startService(command);
    try {
      return await use(service.ready, "");
    } finally {
      await service.close();
    }
  } catch (error) {
    if (error instanceof ServiceProblem) return await use(undefined, error.message);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function readyOf({ stdout }: ChildProcess): Promise<ReadyInfo | undefined> {
  if (stdout === null) throw new Error("The service has no output to read.");
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith("ready ")) return JSON.parse(line.slice("ready ".length)) as ReadyInfo;
  }
  return undefined;
}
