import { type ChildProcess, spawn } from "node:child_process";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { ownProgram } from "../../own-files.ts";
import type { WatchdogOrder, WatchdogReport } from "../watchdog.ts";
import { pidFile, record } from "./processes.ts";
import type { SaveReport } from "./snapshot-saver.ts";

const LONGEST_READ_MS = 5_000;

/** Does the work while nothing else changes the chain. */
export type Exclusively = (work: () => Promise<void>) => Promise<void>;

/** Pause before a restart. */
const RESTART_MS = 200;

/** The watchdog process of one anvil, as the service uses it. A watchdog that was killed is restarted. */
export class Watchdog {
  readonly #folder: string;
  readonly #log: Log;
  readonly #exclusively: Exclusively;
  readonly #orders: WatchdogOrder[] = [];
  #child: ChildProcess;
  #hasRead = () => {};
  #ending = false;
  #failing = false;
  #saved: { block: number; bytes: number };

  /** `loaded` is the state that anvil starts with. The state is read `exclusively`. */
  constructor(options: {
    folder: string;
    log: Log;
    loaded: { block: number; bytes: number };
    exclusively: Exclusively;
  }) {
    this.#folder = options.folder;
    this.#log = options.log;
    this.#exclusively = options.exclusively;
    this.#saved = options.loaded;
    this.#child = this.#start();
  }

  /** The newest saved block, and the bytes of its state. */
  get saved(): { block: number; bytes: number } {
    return this.#saved;
  }

  order(order: WatchdogOrder): void {
    this.#orders.push(order);
    this.#send(order);
  }

  /** Makes it save the state and end anvil. There is no time-out. */
  async end(): Promise<void> {
    this.#ending = true;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    // Before this, it did not keep the process alive.
    this.#child.ref();
    this.#send("end");
    await gone;
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [ownProgram("chain/watchdog"), this.#folder], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: true,
      windowsHide: true,
    });
    child.unref();
    child.channel?.unref();
    child.on("message", (report: WatchdogReport) => {
      if (report === "reads") this.#mayRead();
      else if (report === "has read") this.#hasRead();
      else this.#logReport(report);
    });
    child.on("error", () => undefined);
    child.once("exit", () => {
      this.#hasRead();
      if (this.#ending) return;
      this.#log.warn("The process that saves the local chain ended by itself. Restarting it.");
      setTimeout(() => this.#startAgain(), RESTART_MS).unref();
    });
    try {
      if (child.pid !== undefined) record(this.#folder, "watchdog", child.pid);
    } catch (error) {
      // It still works; only a second service could not detect it.
      this.#log.warn(
        `The file ${pidFile(this.#folder, "watchdog")} cannot be written (${messageOf(error)}).`,
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

  /** Until it has read the state, or is gone. */
  #mayRead(): void {
    let isOver = false;
    const read = new Promise<void>((resolve) => {
      // A process that is suspended must not stop the chain. A state that is torn then is read again.
      const limit = setTimeout(() => this.#hasRead(), LONGEST_READ_MS).unref();
      this.#hasRead = () => {
        clearTimeout(limit);
        isOver = true;
        resolve();
      };
    });
    void this.#exclusively(async () => {
      // It does not wait for anvil where that hangs.
      if (!isOver) this.#send("read");
      await read;
    });
  }

  /** A problem that lasts is logged once, and again when it is over. */
  #logReport(report: SaveReport): void {
    if ("saved" in report) {
      this.#saved = report.saved;
      if (this.#failing) this.#log.info("The chain's state can be saved again.");
      this.#failing = false;
      this.#log.debug(`The chain's state is saved up to block ${report.saved.block}.`);
    } else if (!this.#failing) {
      this.#failing = true;
      this.#log.error(
        `The chain's state cannot be saved to ${this.#folder} (${report.failed}). The chain keeps running, but after a stop it would restart at block ${this.#saved.block}. Free some disk space, or make the folder writable: saving is retried.`,
      );
    }
  }
}
