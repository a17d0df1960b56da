import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../problem.ts";
import { dumpState, type Head, head } from "./dump.ts";
import { keepSnapshot } from "./snapshots.ts";
import { blockOfState, isTorn } from "./state.ts";

/** What became of a try to save: up to which block, and how many bytes the state has; or why not. */
export type SaveReport = { saved: { block: number; bytes: number } } | { failed: string };

/** From one look for new blocks to the next. */
const LOOK_MS = 1000;
/** Of the time, at most a tenth goes into saving: the larger the state, the more seldom. */
const REST_PER_SAVE = 9;
/** An anvil that does not answer a small question for so long hangs. */
const ANSWER_MS = 5000;
const QUICK_MS = 500;
/** Blocks made while anvil puts its state together spoil it now and then. */
const TRIES = 5;
const inflate = promisify(gunzip);

/** Saves the state of an anvil after it has new blocks. An idle one is left alone. */
export class SnapshotSaver {
  readonly #rpcUrl: string;
  readonly #folder: string;
  readonly #tell: (report: SaveReport) => void;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  /** The hash of the newest block that is saved. */
  #saved: string | undefined;
  #lastMs = 0;

  constructor(options: { rpcUrl: string; folder: string; tell: (report: SaveReport) => void }) {
    this.#rpcUrl = options.rpcUrl;
    this.#folder = options.folder;
    this.#tell = options.tell;
    this.#running = this.#run();
  }

  /** Saves all there is, for the last time: what is being made meanwhile too. */
  async finish(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const newest = await this.#newest();
      // An anvil that hangs or is gone has nothing to give.
      if (newest === undefined) return;
      // Balances, say, can be set without a block: where it is quick, the state is saved in any case.
      const isQuick = tries === 0 && this.#lastMs < QUICK_MS;
      if (newest.hash === this.#saved && !isQuick) return;
      if (!(await this.#save())) return;
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    let pause = LOOK_MS;
    while (!signal.aborted) {
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      const newest = signal.aborted ? undefined : await this.#newest();
      pause = LOOK_MS;
      if (newest === undefined || newest.hash === this.#saved) continue;
      await this.#save();
      pause = Math.max(LOOK_MS, REST_PER_SAVE * this.#lastMs);
    }
  }

  #newest(): Promise<Head | undefined> {
    return head(this.#rpcUrl, ANSWER_MS).catch(() => undefined);
  }

  /** Whether it is saved now. */
  async #save(): Promise<boolean> {
    const start = performance.now();
    try {
      const state = await this.#wholeState();
      if (state === undefined) return false;
      await keepSnapshot(this.#folder, state.gzipped);
      this.#saved = state.newest.hash;
      this.#tell({ saved: { block: state.newest.number, bytes: state.bytes } });
      return true;
    } catch (error) {
      // Without an anvil there is nothing to tell about.
      if ((await this.#newest()) !== undefined) this.#tell({ failed: messageOf(error) });
      return false;
    } finally {
      this.#lastMs = performance.now() - start;
    }
  }

  /** Undefined where blocks are made without a pause: later, then. */
  async #wholeState(): Promise<{ gzipped: Buffer; bytes: number; newest: Head } | undefined> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const gzipped = await this.#dump();
      const json = await inflate(gzipped);
      const newest = await head(this.#rpcUrl, ANSWER_MS, blockOfState(json)).catch(() => undefined);
      if (newest !== undefined && !isTorn(json, newest.hash)) return { gzipped, bytes: json.length, newest };
    }
    return undefined;
  }
  /** However long it takes, as long as anvil answers other questions meanwhile. */
  async #dump(): Promise<Buffer> {
    const hangs = new AbortController();
    const watch = setInterval(async () => {
      if ((await this.#newest()) === undefined) hangs.abort();
    }, ANSWER_MS);
    try {
      return await dumpState(this.#rpcUrl, hangs.signal);
    } finally {
      clearInterval(watch);
    }
  }
}
