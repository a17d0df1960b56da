// @ts-check
// The local service as users have it: its package, run by npx in an empty folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { npmCommand } from "./npm-command.mjs";

const READY = "ready ";
const isWindows = process.platform === "win32";

export class PackedService {
  /** @type {import("node:child_process").ChildProcess} */
  #child;
  /** @type {Promise<unknown>} */
  #ended;
  #log = "";

  /**
   * @param {{ tarball: string, folder: string, node: string, args?: readonly string[] }} options `folder` gets the
   *   empty folder, the data and npm's files; `node` is the Node.js that npm and the service run on
   */
  constructor({ tarball, folder, node, args = ["--local", "--port", "0"] }) {
    const npx = npmCommand(["exec", "--yes", "--ignore-scripts", "--", `file:${tarball}`, ...args]);
    this.#child = spawn(npx.command, npx.args, {
      cwd: folder,
      env: {
        ...process.env,
        PATH: [dirname(node), process.env.PATH].join(delimiter),
        CREC_DATA_DIR: join(folder, "data"),
        // Otherwise npm would keep each packed version in the cache of the user.
        npm_config_cache: join(folder, "npm"),
        npm_config_update_notifier: "false",
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, which gets Ctrl-C as that of a terminal does.
      detached: !isWindows,
      windowsHide: true,
    });
    this.#ended = once(this.#child, "close");
    this.#child.stderr?.on("data", (chunk) => {
      this.#log += chunk;
    });
  }

  /**
   * @param {ConstructorParameters<typeof PackedService>[0]} options
   * @returns {Promise<PackedService>}
   */
  static async in(options) {
    await mkdir(options.folder, { recursive: true });
    return new PackedService(options);
  }

  /** What it wrote to standard error. */
  get log() {
    return this.#log;
  }

  /**
   * @returns {Promise<import("./local-service.mjs").Ready>}
   * @throws {Error} with its log when it ends before it is ready
   */
  async ready() {
    for await (const line of createInterface({
      input: /** @type {import("node:stream").Readable} */ (this.#child.stdout),
    })) {
      if (line.startsWith(READY)) return JSON.parse(line.slice(READY.length));
    }
    throw new Error(`the packed service ended before it was ready:\n${this.#log}`);
  }

  /** Waits until it has ended by itself. @returns {Promise<number | null>} its exit code */
  async end() {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Ctrl-C. */
  async stop() {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (isWindows) this.#child.kill();
    else process.kill(-pid, "SIGINT");
    await this.#ended;
  }
}
