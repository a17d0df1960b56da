import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../../log.ts";
import { messageOf } from "../../problem.ts";
import type { WatchdogOrder } from "../watchdog.ts";
import { PID_FILES } from "./predecessor.ts";
import type { SaveReport } from "./snapshot-saver.ts";

/** After it ended by itself, before it is started again. */
const AGAIN_MS = 200;

/** The watchdog of one anvil, a process beside the service, as the service sees it. One that is killed is started again. */
export class Watchdog {
  readonly #folder: string;
  readonly #log: Log;
  readonly #orders: WatchdogOrder[] = [];
  #child: ChildProcess;
  #ending = false;
  #failing = false;
  #saved: { block: number; bytes: number };

  /** `loaded` is what anvil begins with. */
  constructor(options: { folder: string; log: Log; loaded: { block: number; bytes: number } }) {
    this.#folder = options.folder;
    this.#log = options.log;
    this.#saved = options.loaded;
    this.#child = this.#start();
  }

  /** The newest block that is on the disk, and the bytes of its state. */
  get saved(): { block: number; bytes: number } {
    return this.#saved;
  }

  order(order: WatchdogOrder): void {
    this.#orders.push(order);
    this.#send(order);
  }

  /** Lets it save the state and end anvil, however long that takes. */
  async end(): Promise<void> {
    this.#ending = true;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    // Until now it kept nobody waiting.
    this.#child.ref();
    this.#send("end");
    await gone;
  }

  #start(): ChildProcess {
    const program = fileURLToPath(new URL("../watchdog.ts", import.meta.url));
    const child = spawn(process.execPath, [program, this.#folder], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: true,
    });
    child.unref();
    child.channel?.unref();
    child.on("message", (report: SaveReport) => this.#tell(report));
    child.on("error", () => undefined);
    child.once("exit", () => {
      if (this.#ending) return;
      this.#log.warn("The process that saves the local chain ended by itself. Starting it again.");
      setTimeout(() => this.#startAgain(), AGAIN_MS).unref();
    });
    try {
      if (child.pid !== undefined) writeFileSync(join(this.#folder, PID_FILES.watchdog), String(child.pid));
    } catch (error) {
      // It watches all the same; only a service that is started beside it would not know of it.
      this.#log.warn(
        `The file ${PID_FILES.watchdog} cannot be written to ${this.#folder} (${messageOf(error)}).`,
      );
    }
    return child;
  }

  #startAgain(): void {
    if (this.#ending) return;
    this.#child = this.#start();
    for (const order of this.#orders) this.#send(order);
  }

  #send(order: WatchdogOrder): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  /** A problem that lasts is told once, and when it is over. */
  #tell(report: SaveReport): void {
    if ("saved" in report) {
      this.#saved = report.saved;
      if (this.#failing) this.#log.info("The chain's state can be saved again.");
      this.#failing = false;
      this.#log.debug(`The chain's state is saved up to block ${report.saved.block}.`);
    } else if (!this.#failing) {
      this.#failing = true;
      this.#log.error(
        `The chain's state cannot be saved to ${this.#folder} (${report.failed}). The chain goes on; after a stop it would begin again at block ${this.#saved.block}. Make room on the disk, or make the folder writable: saving is tried again all the time.`,
      );
    }
  }
}
