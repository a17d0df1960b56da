import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST, nextFreePort } from "../../scripts/lib/ports.mjs";

/** A database server that tests start: how to run it, and what it prints. */
export type EngineProgram = {
  /** Its folder with all its data, which is removed in the end. */
  folder: string;
  command: string;
  args: (port: number) => string[];
  options?: SpawnOptions;
  /** What it prints when it accepts connections. */
  ready: RegExp;
  /** What it prints when it cannot start yet, and can a moment later. */
  notYet: RegExp;
  stopSignal: NodeJS.Signals;
};

const START_MS = 60_000;
const RETRY_MS = 50;
/** Systems use higher ports for outgoing connections: one of these could take the port while the server is down. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;
const PORT_TAKEN = /Address already in use|could not bind/i;
const KEPT_OUTPUT = 4_000;

/** A server process that can be killed and started again with the same data, on the same port of 127.0.0.1. */
export class EngineProcess {
  readonly #program: EngineProgram;
  #port = 0;
  #child: ChildProcess | undefined;
  #output = "";

  private constructor(program: EngineProgram) {
    this.#program = program;
  }

  static async start(program: EngineProgram): Promise<EngineProcess> {
    const engine = new EngineProcess(program);
    try {
      await engine.#startAtFreePort();
    } catch (error) {
      await engine.remove();
      throw error;
    }
    return engine;
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** In order: what it was told is on the disk. */
  stop(): Promise<void> {
    return this.#end(this.#program.stopSignal);
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Starts it again, after it was stopped or killed; stops it first if it runs. */
  async restart(): Promise<void> {
    await this.stop();
    const deadline = performance.now() + START_MS;
    // biome-ignore lint/plugin: another error than an early one ends it
    while (!(await this.#launch())) {
      const isEarly = this.#program.notYet.test(this.#output) || PORT_TAKEN.test(this.#output);
      if (!isEarly || performance.now() > deadline) throw this.#notStarted();
      await sleep(RETRY_MS);
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#program.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Another process may take a free port before the server does. */
  async #startAtFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.#port = await nextFreePort(FIRST_PORT + Math.floor(Math.random() * PORTS), HOST);
      if (await this.#launch()) return;
      if (!PORT_TAKEN.test(this.#output) || attempt === 5) throw this.#notStarted();
    }
  }

  /** Whether it accepts connections now; otherwise it has ended. */
  async #launch(): Promise<boolean> {
    const { command, args, options = {}, ready } = this.#program;
    this.#output = "";
    const child = spawn(command, args(this.#port), { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    const late = setTimeout(() => child.kill("SIGKILL"), START_MS);
    const isReady = new Promise<boolean>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
          if (ready.test(this.#output)) resolve(true);
        });
      }
      child.once("error", (error) => {
        this.#output += error.message;
        resolve(false);
      });
      child.once("close", () => resolve(false));
    });
    return isReady.finally(() => clearTimeout(late));
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  #notStarted(): Error {
    return new Error(`${this.#program.command} did not start:\n${this.#output}`);
  }
}
