import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Log } from "../log.ts";
import { messageOf, ServiceProblem } from "../problem.ts";
import { isAlive } from "./process.ts";

/** An anvil of our own. One that ends by itself is started again, at the same address and from its saved state. */
export type Anvil = {
  readonly rpcUrl: string;
  readonly pid: number;
  /** Told at once when it ends by itself, with the promise that it answers again; true unless it was stopped before. */
  onEnd: ((restarted: Promise<boolean>) => void) | undefined;
  /** From now on it is not started again. */
  giveUp(): void;
  /** Lets it save its state and ends it; within two seconds in any case. */
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 20_000;
const STOP_GRACE_MS = 1500;
/** An anvil whose service was killed is ended by its watchdog; this long we wait for that. */
const PREDECESSOR_TIMEOUT_MS = 5000;
/** What anvil prints when another program has its port: on Linux and macOS, and on Windows. */
const PORT_TAKEN = /address already in use|one usage of each socket address/i;
/** Between attempts to start one again: the first, and the longest. */
const AGAIN_MS = { first: 100, longest: 5000 };

/**
 * Starts anvil, its state kept in `folder`, and ends it when this process is gone. Port 0 takes a free one.
 *
 * @throws ServiceProblem when there is no anvil for this machine, or it does not start.
 */
export async function startAnvil(
  folder: string,
  { log, port: wanted = 0 }: { log?: Log; port?: number } = {},
): Promise<Anvil> {
  mkdirSync(folder, { recursive: true });
  const pidFile = join(folder, "anvil.pid");
  await awaitPredecessor(pidFile);
  const binary = findAnvil();
  // The watchdog first: there is no moment at which anvil runs unwatched.
  const watchdog = spawn(process.execPath, [fileURLToPath(new URL("watchdog.ts", import.meta.url))], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.unref();
  watchdog.stdin?.on("error", () => {});

  const launch = async (onPort: number) => {
    // Detached, so that Ctrl-C reaches the service alone, which then ends anvil in order.
    const child = spawn(binary, anvilArguments(folder, onPort), {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (child.pid !== undefined) watchdog.stdin?.write(`${child.pid}\n`);
    const listens = await listening(child, binary, onPort);
    writeFileSync(pidFile, String(listens.pid));
    return { child, ...listens };
  };
  /** Killed while it saved its state, it leaves half of it, and would never start again. */
  const launchOrHeal = async (onPort: number) => {
    try {
      return await launch(onPort);
    } catch (error) {
      const kept = setAsideDamaged(stateFile(folder));
      if (kept === undefined) throw error;
      log?.error(
        `The saved state of the local chain is damaged; it is kept as ${kept}. The chain starts empty, and what can be is deployed again.`,
      );
      return await launch(onPort);
    }
  };
  let running = await launchOrHeal(wanted);
  const { port } = running;
  const stopped = new AbortController();
  let restarting: Promise<boolean> | undefined;
  const guard = () =>
    running.child.once("exit", (code, signal) => {
      if (stopped.signal.aborted) return;
      restarting = restart(signal ?? `code ${code}`);
      anvil.onEnd?.(restarting);
    });
  const restart = async (how: string): Promise<boolean> => {
    log?.warn(`The local chain (anvil) ended by itself (${how}). Starting it again from its saved state.`);
    for (let pause = AGAIN_MS.first; !stopped.signal.aborted; pause = Math.min(2 * pause, AGAIN_MS.longest)) {
      try {
        running = await launchOrHeal(port);
        guard();
        log?.info("The local chain runs again.");
        return true;
      } catch (error) {
        log?.error(messageOf(error));
        await sleep(pause, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
    return false;
  };
  const anvil: Anvil = {
    rpcUrl: `http://127.0.0.1:${port}`,
    get pid() {
      return running.pid;
    },
    onEnd: undefined,
    giveUp: () => stopped.abort(),
    async stop() {
      stopped.abort();
      await restarting;
      await end(running.child);
      rmSync(pidFile, { force: true });
      // Waited for, so that nothing of ours runs when we say that all has ended.
      await end(watchdog);
    },
  };
  guard();
  return anvil;
}

function anvilArguments(folder: string, port: number): string[] {
  return [
    ...["--host", "127.0.0.1", "--port", String(port), "--no-cors", "--no-mining"],
    ...["--slots-in-an-epoch", "4"],
    // Without these two, states of old blocks pile up in memory and under the home directory.
    ...["--prune-history", "64", "--cache-path", join(folder, "cache")],
    ...["--state", stateFile(folder), "--state-interval", "5"],
  ];
}

function stateFile(folder: string): string {
  return join(folder, "state.json");
}

/** Renames a state that cannot be read; its new name, or undefined when nothing is wrong with it. */
function setAsideDamaged(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    JSON.parse(readFileSync(file, "utf8"));
    return undefined;
  } catch {
    const kept = `${file}.damaged`;
    renameSync(file, kept);
    return kept;
  }
}

/** The platform's binary from npm, else one on the PATH. */
function findAnvil(): string {
  const os = process.platform === "win32" ? "win32" : process.platform;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const executable = process.platform === "win32" ? "anvil.exe" : "anvil";
  const candidates: string[] = [];
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${os}-${arch}/package.json`);
    candidates.push(join(dirname(manifest), "bin", executable));
  } catch {
    // Not installed for this platform.
  }
  for (const folder of (process.env.PATH ?? "").split(delimiter)) candidates.push(join(folder, executable));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new ServiceProblem(
    `The local chain needs anvil, and there is none for ${process.platform} ${process.arch}. Run "npm install" again with optional packages allowed, or install Foundry so that anvil is on the PATH, or name a node of your own with --rpc-url or CREC_RPC_URL.`,
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

function listening(
  child: ChildProcess,
  binary: string,
  wanted: number,
): Promise<{ port: number; pid: number }> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new ServiceProblem(`The local chain (${binary}) did not start: ${why}`));
    };
    const timer = setTimeout(() => fail(`no answer in ${START_TIMEOUT_MS / 1000} s.`), START_TIMEOUT_MS);
    const exited = (code: number | null) =>
      fail(
        PORT_TAKEN.test(output)
          ? `port ${wanted} is taken by another program. Stop that one, or choose another port with --chain-port or CREC_CHAIN_PORT.`
          : `it ended with code ${code}. ${lastLine(output)} If its saved state is damaged, remove the folder "chain" in the data directory.`,
      );
    child.once("error", (error) => fail(messageOf(error)));
    child.once("exit", exited);
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    const onOutput = (chunk: Buffer) => {
      output += chunk;
      const port = /Listening on [^\s]+:(\d+)/.exec(output)?.[1];
      if (port === undefined || child.pid === undefined) return;
      clearTimeout(timer);
      child.off("exit", exited);
      child.stdout?.off("data", onOutput);
      // Keep both pipes flowing, so that anvil never waits for a reader.
      child.stdout?.resume();
      child.stderr?.removeAllListeners("data").resume();
      resolve({ port: Number(port), pid: child.pid });
    };
    child.stdout?.on("data", onOutput);
  });
}

function lastLine(output: string): string {
  const lines = output.trim().split("\n");
  return (lines.find((line) => /^error/i.test(line)) ?? lines.at(-1) ?? "").trim();
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

/** Two chains must not write one state file: waits until the one of a killed service is gone, or ends it. */
async function awaitPredecessor(pidFile: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8"));
  } catch {
    return;
  }
  const deadline = Date.now() + PREDECESSOR_TIMEOUT_MS;
  while (pid > 0 && isAlive(pid) && isAnvil(pid)) {
    if (Date.now() > deadline) process.kill(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Process ids are used again: never wait for, or end, a stranger. */
function isAnvil(pid: number): boolean {
  if (process.platform === "win32") return false;
  try {
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).includes("anvil");
  } catch {
    return false;
  }
}
