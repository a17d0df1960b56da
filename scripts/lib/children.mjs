// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { sayWhereDebuggerIs, withoutDebugger } from "./debugger.mjs";
import { root } from "./paths.mjs";
import { StartError } from "./say.mjs";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** How long a child may take to end before it kills itself, and how much later the launcher kills it. In ms. */
export const GRACE_MS = 2_000;
export const LATER_MS = 500;

const preload = new URL("./end-with-parent.mjs", import.meta.url).href;

/** The processes that a launcher started. They end in the reverse order of their first start. */
export class Children {
  /** @type {Map<string, ChildProcess | undefined>} by name, in the order of their first start; undefined once ended */
  #running = new Map();
  /** @type {WeakMap<ChildProcess, number>} by process, in milliseconds */
  #graces = new WeakMap();
  /** @type {WeakSet<ChildProcess>} those that we stop */
  #asked = new WeakSet();
  #ending = false;

  /** @param {(name: string, how: string) => void} onLost called when a child ends without being asked to */
  constructor(onLost) {
    this.onLost = onLost;
  }

  /** Whether all processes are being ended. */
  get ending() {
    return this.#ending;
  }

  /** @param {string} name */
  runs(name) {
    return this.#running.get(name) !== undefined;
  }

  /**
   * Starts a Node.js process with an IPC channel, at whose end it ends itself.
   *
   * @param {string} name what people call it
   * @param {readonly string[]} args the file to run and its arguments
   * @param {{ env: NodeJS.ProcessEnv, stdout: "pipe" | "stderr", debug?: string | undefined, node?: string,
   *   graceMs?: number }} options
   *   `env` is added to our own; `stdout` says whether we read what it prints, or people do; `debug` is the option that
   *   opens a debugger; `node` is the Node.js to run it by, instead of ours; `graceMs` is how long it may take to end
   *   before it is killed
   * @returns {ChildProcess}
   */
  start(name, args, { env, stdout, debug, node = process.execPath, graceMs = GRACE_MS }) {
    if (this.#ending) throw new StartError(`${name} was not started, because everything is being ended.`);
    const preloaded = `${preload}?graceMs=${graceMs}`;
    const child = spawn(node, [...(debug ? [debug] : []), "--import", preloaded, ...args], {
      cwd: root,
      env: { ...withoutDebugger(process.env), ...env },
      stdio: ["ignore", stdout === "pipe" ? "pipe" : 2, debug ? "pipe" : 2, "ipc"],
      // In a process group of its own: Ctrl-C in a terminal then reaches only the launcher, which ends all in order.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    if (child.stderr) sayWhereDebuggerIs(name, child.stderr);
    this.#running.set(name, child);
    this.#graces.set(child, graceMs);
    child.once("exit", (code, signal) => {
      this.#running.set(name, undefined);
      if (!this.#ending && !this.#asked.has(child))
        this.onLost(name, signal ? `signal ${signal}` : `exit code ${code}`);
    });
    return child;
  }

  /**
   * Ends one process, and waits until it has exited.
   *
   * @param {string} name
   */
  async stop(name) {
    const child = this.#running.get(name);
    if (child === undefined) return;
    this.#asked.add(child);
    const gone = once(child, "exit");
    const timer = setTimeout(() => child.kill("SIGKILL"), (this.#graces.get(child) ?? GRACE_MS) + LATER_MS);
    if (child.connected) child.disconnect();
    await gone;
    clearTimeout(timer);
  }

  /** Ends all processes, the last one first. */
  async end() {
    this.#ending = true;
    for (const name of [...this.#running.keys()].reverse()) await this.stop(name);
  }
}
