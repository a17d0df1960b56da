import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { messageOf, ServiceProblem } from "../../errors.ts";
import type { Loadable } from "./snapshots.ts";

/** An anvil that listens. */
export type Listening = { child: ChildProcess; pid: number; port: number };

const START_TIMEOUT_MS = 20_000;
/** Bytes of a state that a slow machine loads in a millisecond. */
const LOADED_IN_A_MS = 5000;
/** What anvil prints when another program has its port: on Linux and macOS, and on Windows. */
const PORT_TAKEN = /address already in use|one usage of each socket address/i;
const STATE_REFUSED = /--load-state|deserializ/i;

/** The platforms for which npm has one. The manifest of this package lists them. */
const ON_NPM: readonly string[] = [
  "darwin-amd64",
  "darwin-arm64",
  "linux-amd64",
  "linux-arm64",
  "win32-amd64",
];

/**
 * Starts anvil from a snapshot, or empty. It writes nothing to the disk itself. `onSpawn` gets its process id
 * immediately.
 *
 * @throws StateRefused when it does not load the snapshot; ServiceProblem when it does not start.
 */
export function launch(options: {
  binary: string;
  folder: string;
  port: number;
  snapshot: Loadable | undefined;
  onSpawn: (pid: number) => void;
}): Promise<Listening> {
  const { binary, port: wanted, snapshot } = options;
  const child = spawn(binary, anvilArguments(options), {
    stdio: ["ignore", "pipe", "pipe"],
    // So that Ctrl-C reaches only the service, which then stops anvil in order. Windows opens a window for that.
    detached: true,
    windowsHide: true,
  });
  if (child.pid !== undefined) options.onSpawn(child.pid);
  const timeoutMs = START_TIMEOUT_MS + (snapshot?.bytes ?? 0) / LOADED_IN_A_MS;
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new ServiceProblem(`The local chain (${binary}) did not start: ${why}`, "NO_CHAIN"));
    };
    const timer = setTimeout(() => fail(`no answer in ${Math.round(timeoutMs / 1000)} s.`), timeoutMs);
    const exited = (code: number | null) => {
      if (snapshot !== undefined && STATE_REFUSED.test(output)) {
        clearTimeout(timer);
        reject(new StateRefused(lastLine(output)));
      } else if (PORT_TAKEN.test(output)) {
        fail(
          `port ${wanted} is taken by another program. Stop that one, or choose another port with --chain-port or CREC_CHAIN_PORT.`,
        );
      } else {
        fail(
          `it ended with code ${code}. ${lastLine(output)} If its saved state is damaged, remove the folder "chain" in the data directory.`,
        );
      }
    };
    child.once("error", (error: NodeJS.ErrnoException) =>
      fail(
        error.code === "ENOENT"
          ? "the system cannot run it, such as a Linux without glibc (Alpine). Name an EVM node of your own with --rpc-url or CREC_RPC_URL."
          : messageOf(error),
      ),
    );
    // After all its output has arrived.
    child.once("close", exited);
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    const onOutput = (chunk: Buffer) => {
      output += chunk;
      const port = /Listening on [^\s]+:(\d+)/.exec(output)?.[1];
      if (port === undefined || child.pid === undefined) return;
      clearTimeout(timer);
      child.off("close", exited);
      child.stdout?.off("data", onOutput);
      // Keep both pipes flowing, so that anvil never waits for a reader.
      child.stdout?.resume();
      child.stderr?.removeAllListeners("data").resume();
      resolve({ child, port: Number(port), pid: child.pid });
    };
    child.stdout?.on("data", onOutput);
  });
}

function anvilArguments({ folder, port, snapshot }: Parameters<typeof launch>[0]): string[] {
  return [
    ...["--host", "127.0.0.1", "--port", String(port), "--no-cors", "--no-mining"],
    ...["--slots-in-an-epoch", "4"],
    // Without these, states of old blocks fill the memory and the home directory.
    ...["--prune-history", "64", "--cache-path", join(folder, "cache")],
    ...(snapshot === undefined ? [] : ["--load-state", snapshot.file]),
  ];
}

function lastLine(output: string): string {
  const lines = output.trim().split("\n");
  return (lines.find((line) => /^error/i.test(line)) ?? lines.at(-1) ?? "").trim();
}

/**
 * The platform's anvil from npm, else one on the PATH.
 *
 * @throws ServiceProblem when there is none.
 */
export function findAnvil({
  platform = process.platform,
  arch = process.arch,
  path = process.env.PATH,
} = {}): string {
  const executable = platform === "win32" ? "anvil.exe" : "anvil";
  const name = `${platform}-${arch === "x64" ? "amd64" : arch}`;
  const candidates: string[] = [];
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${name}/package.json`);
    candidates.push(join(dirname(manifest), "bin", executable));
  } catch {
    // Not installed for this platform.
  }
  for (const folder of (path ?? "").split(delimiter)) candidates.push(join(folder, executable));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new ServiceProblem(
    `The local chain needs anvil, which is not installed for ${platform} ${arch}. ${
      ON_NPM.includes(name)
        ? "Install again with optional packages allowed: npm has one for this platform. Or name"
        : "npm has no package for this platform. Name"
    } an EVM node of your own with --rpc-url or CREC_RPC_URL, or install Foundry so that anvil is on the PATH.`,
    "NO_CHAIN",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Anvil refuses the state. */
export class StateRefused extends Error {}
