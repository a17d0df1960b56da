import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { sayWhereDebuggerIs, withoutDebugger } from "./debugger.ts";
import { root } from "./paths.mjs";
import { StartError } from "./say.mjs";

/** How long a child may take to end before it kills itself, and how much later the launcher kills it. In ms. */
export const GRACE_MS = 2_000;
export const LATER_MS = 500;

const preload = new URL("./end-with-parent.mjs", import.meta.url).href;

type Child = { process: ChildProcess; graceMs: number; isAsked: boolean };

type Options = {
  /** added to our own */
  env: NodeJS.ProcessEnv;
  /** whether we read what it prints, or people do */
  stdout: "pipe" | "stderr";
  /** the option that opens a debugger */
  debug?: string | undefined;
  /** how long it may take to end before it is killed */
  graceMs?: number;
};

/** The processes that a launcher started. They end in the reverse order of their first start. */
export class Children {
  /** By name, in the order of their first start; undefined once ended. */
  readonly #running = new Map<string, Child | undefined>();
  onLost: (name: string, how: string) => void;
  /** Whether all processes are being ended. */
  ending = false;

  /** @param onLost called when a child ends without being asked to */
  constructor(onLost: (name: string, how: string) => void) {
    this.onLost = onLost;
  }

  runs(name: string) {
    return this.#running.get(name) !== undefined;
  }

  /**
   * Starts a Node.js process with an IPC channel, at whose end it ends itself.
   *
   * @param name what people call it
   * @param args the file to run and its arguments
   */
  start(name: string, args: readonly string[], options: Options): ChildProcess {
    const { env, stdout, debug, graceMs = GRACE_MS } = options;
    if (this.ending) throw new StartError(`${name} was not started, because everything is being ended.`);
    const preloaded = `${preload}?graceMs=${graceMs}`;
    const child = spawn(process.execPath, [...(debug ? [debug] : []), "--import", preloaded, ...args], {
      cwd: root,
      env: { ...withoutDebugger(process.env), ...env },
      stdio: ["ignore", stdout === "pipe" ? "pipe" : 2, debug ? "pipe" : 2, "ipc"],
      // In a process group of its own: Ctrl-C in a terminal then reaches only the launcher, which ends all in order.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    if (child.stderr) sayWhereDebuggerIs(name, child.stderr);
    const known = { process: child, graceMs, isAsked: false };
    this.#running.set(name, known);
    child.once("exit", (code, signal) => {
      this.#running.set(name, undefined);
      if (!this.ending && !known.isAsked)
        this.onLost(name, signal ? `signal ${signal}` : `exit code ${code}`);
    });
    return child;
  }

  /** Ends one process, and waits until it has exited. */
  async stop(name: string) {
    const known = this.#running.get(name);
    if (known === undefined) return;
    known.isAsked = true;
    const gone = once(known.process, "exit");
    const timer = setTimeout(() => known.process.kill("SIGKILL"), known.graceMs + LATER_MS);
    if (known.process.connected) known.process.disconnect();
    await gone;
    clearTimeout(timer);
  }

  /** Ends all processes, the last one first. */
  async end() {
    this.ending = true;
    for (const name of [...this.#running.keys()].reverse()) await this.stop(name);
  }
}
