import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Context } from "mocha";
import { npmCommand } from "../../scripts/lib/npm-command.mjs";
import { kill, processesWith, type Running, stillRunning } from "../../scripts/test/processes.mjs";

/** Every process that a launcher starts inherits this variable, by whose value it is found again. */
const MARK = "CREC_LAUNCHER_TEST";

export type Ready = {
  editor_url?: string;
  base_url: string;
  graphql_url: string;
  api_key: string;
  rpc_url: string;
  contracts: Record<string, string>;
};

export type Launched = {
  /** The value of the variable that all its processes inherit. */
  mark: string;
  process: ChildProcess;
  /** What the `ready` line says; rejects when the launcher ends before. */
  ready: Promise<Ready>;
  /** Exit code, or the signal that ended it, once its output is complete. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Everything it has told people so far. */
  said: () => string;
  /** Waits until it has told people this. */
  says: (text: string) => Promise<void>;
  /** All that it started and that still runs, itself included. */
  processes: () => Running[];
};

/** Launchers on a data directory of their own, on free ports. */
export class LaunchersOnTrial {
  readonly #mark = randomUUID();
  #launched: Launched[] = [];
  #dataDir = "";
  #folder = "";

  /** @param folder where the package lies whose launchers are meant */
  async setUp(folder: string): Promise<void> {
    this.#folder = folder;
    this.#dataDir = await mkdtemp(join(tmpdir(), "crec-launcher-"));
  }

  /** Ends whatever a failed test left, prints what it said, and forgets the data. */
  async tearDown({ currentTest }: Context): Promise<void> {
    if (currentTest?.isFailed()) for (const { said } of this.#launched) process.stderr.write(said());
    this.#launched = [];
    for (const running of processesWith(MARK, this.#mark)) kill(running);
    await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 10 });
  }

  npm(...args: string[]): Launched {
    return this.npmWith({}, ...args);
  }

  npmWith(env: NodeJS.ProcessEnv, ...args: string[]): Launched {
    const npm = npmCommand(args);
    return this.#launch(npm.command, npm.args, env);
  }

  node(script: string, env: NodeJS.ProcessEnv = {}): Launched {
    return this.#launch(process.execPath, [script], env);
  }

  #launch(command: string, args: string[], env: NodeJS.ProcessEnv): Launched {
    const mark = this.#mark;
    const child = spawn(command, args, {
      cwd: this.#folder,
      env: {
        ...process.env,
        PORT: "0",
        CREC_SERVICE_PORT: "0",
        CREC_DATA_DIR: this.#dataDir,
        [MARK]: mark,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    const ended = once(child, "close").then(([code, signal]) => code ?? signal);
    const failed = ended.then((how): never => {
      throw new Error(`ended (${how}) too early:\n${said}`);
    });
    const line = new Promise<Ready>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (text) => {
        if (text.startsWith("ready ")) resolve(JSON.parse(text.slice("ready ".length)));
      });
    });
    const ready = Promise.race([line, failed]);
    ready.catch(() => {}); // A test that waits for the end alone need not ask for it.
    const says = async (text: string) => {
      // biome-ignore lint/plugin: it also ends when the process fails
      while (!said.includes(text)) await Promise.race([once(child.stderr, "data"), failed]);
    };
    const launched: Launched = {
      process: child,
      ready,
      ended,
      said: () => said,
      says,
      mark,
      processes: () => processesWith(MARK, mark),
    };
    this.#launched.push(launched);
    return launched;
  }
}

/** Waits until nothing runs any more, and throws with what still does after the time given. */
export async function allEnded(launched: Launched, withinMs: number): Promise<void> {
  const left = await stillRunning(MARK, launched.mark, withinMs);
  if (left.length === 0) return;
  const lines = left.map(({ pid, command }) => `${pid} ${command}`);
  throw new Error(`still running after ${withinMs} ms:\n${lines.join("\n")}\n${launched.said()}`);
}
