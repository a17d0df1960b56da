import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { recordedPid } from "../chain/anvil/processes.ts";
import { ownFile } from "../own-files.ts";
import { type Problem, TEMPORARY_DATA, type ToldByService } from "./messages.ts";

/** Lines of its log that an error has. */
const LAST_LINES = 20;
const LOOK_MS = 50;

/** Its log, and a channel. */
type Child = ChildProcessByStdio<null, null, Readable>;

type ProcessOptions = {
  dataDir: string;
  isTemporary: boolean;
  env: NodeJS.ProcessEnv;
  log: ((line: string) => void) | undefined;
};

/** The command of this package as a child. It ends when the channel between us closes, however this process ends. */
export class ServiceProcess {
  /** That it is ready, or why it has ended before. */
  readonly outcome: Promise<ToldByService>;
  readonly #child: Child;
  readonly #ended: Promise<string>;
  readonly #dataDir: string;
  /** Of the chain of another service that has the same data: this one will not start. */
  readonly #otherChain: readonly number[];
  #lines: string[] = [];
  #problem: Problem | undefined;

  constructor({ dataDir, isTemporary, env, log }: ProcessOptions) {
    this.#dataDir = dataDir;
    this.#otherChain = this.#chain();
    const child = spawn(process.execPath, [fileURLToPath(ownFile("bin/crec-service.cjs"))], {
      env: { ...env, CREC_DATA_DIR: dataDir },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // So that Ctrl-C reaches only the tests, which end it in order. Windows opens a window for that.
      detached: process.platform !== "win32",
      windowsHide: true,
    }) as Child;
    this.#child = child;
    if (isTemporary && child.connected) child.send(TEMPORARY_DATA, () => undefined);
    const said = createInterface({ input: child.stderr });
    said.on("line", (line) => {
      this.#lines = [...this.#lines, line].slice(-LAST_LINES);
      log?.(line);
    });
    const allSaid = once(said, "close");
    this.#ended = new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", async (code, signal) => {
        await allSaid;
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
    });
    this.outcome = new Promise((resolve) => {
      child.on("message", (told: ToldByService) => {
        // Its log has more to say until it has ended.
        if ("problem" in told) this.#problem = told.problem;
        else {
          this.#keepsAlive(false);
          resolve(told);
        }
      });
      void this.#ended.then((how) => resolve({ problem: this.#problem ?? this.#unexplained(how) }));
    });
  }

  get lastLines(): readonly string[] {
    return this.#lines;
  }

  /** Resolves when the service and its chain have ended. */
  async end(): Promise<void> {
    this.#keepsAlive(true);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    // Where the service was killed or was starting, another process saves and ends the chain.
    while (this.#chain().some((pid) => !this.#otherChain.includes(pid))) await sleep(LOOK_MS);
  }

  #unexplained(how: string): Problem {
    const log = this.#lines.join("\n");
    const message = `The local service ended before it was ready (${how})${log === "" ? "." : `. The end of its log:\n${log}`}`;
    return { code: "CANNOT_START", message };
  }

  /** The ids of its processes that run. */
  #chain(): number[] {
    const folder = join(this.#dataDir, "chain");
    return (["watchdog", "anvil"] as const).flatMap((name) => recordedPid(folder, name) ?? []);
  }

  /** Whether this process waits for the service before it ends. */
  #keepsAlive(keeps: boolean): void {
    const how = keeps ? "ref" : "unref";
    this.#child[how]();
    this.#child.channel?.[how]();
    (this.#child.stderr as Socket)[how]();
  }
}
