import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../errors.ts";
import { dumpState, type Head, head } from "./dump.ts";
import { keepSnapshot } from "./snapshots.ts";
import { blockOfState, isTorn } from "./state.ts";

/** The result of an attempt to save: the newest block and the bytes of the state, or the error. */
export type SaveReport = { saved: { block: number; bytes: number } } | { failed: string };

/** Does the work while nothing else changes the chain. It rejects when `signal` says so before it may begin. */
type Alone = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Between checks for new blocks. */
const LOOK_MS = 1000;
/** At most a tenth of the time is spent saving: a larger state is saved less often. */
const REST_PER_SAVE = 9;
/** An anvil that does not answer a simple call for this time hangs. */
const ANSWER_MS = 5000;
const QUICK_MS = 500;
/** Blocks that somebody else makes while anvil collects its state can make it inconsistent. */
const TRIES = 5;
const inflate = promisify(gunzip);

/** Saves the state of an anvil after it has new blocks. An idle one is left alone. */
export class SnapshotSaver {
  readonly #rpcUrl: string;
  readonly #folder: string;
  readonly #report: (report: SaveReport) => void;
  readonly #alone: Alone;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  /** The hash of the newest block that is saved. */
  #saved: string | undefined;
  #lastMs = 0;

  constructor(options: {
    rpcUrl: string;
    folder: string;
    report: (report: SaveReport) => void;
    alone: Alone;
  }) {
    this.#rpcUrl = options.rpcUrl;
    this.#folder = options.folder;
    this.#report = options.report;
    this.#alone = options.alone;
    this.#running = this.#run();
  }

  /** Saves everything for the last time, including blocks that are made meanwhile. */
  async finish(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const newest = await this.#newest();
      // Anvil hangs or is gone.
      if (newest === undefined) return;
      // Balances can be set without a block: where saving is quick, it is done in any case.
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
      this.#report({ saved: { block: state.newest.number, bytes: state.bytes } });
      return true;
    } catch (error) {
      // Without anvil there is nothing to report.
      if ((await this.#newest()) !== undefined) this.#report({ failed: messageOf(error) });
      return false;
    } finally {
      this.#lastMs = performance.now() - start;
    }
  }

  /** Undefined where blocks are made without a pause: it is tried later. */
  async #wholeState(): Promise<{ gzipped: Buffer; bytes: number; newest: Head } | undefined> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const gzipped = await this.#dump();
      const json = await inflate(gzipped);
      const newest = await head(this.#rpcUrl, ANSWER_MS, blockOfState(json)).catch(() => undefined);
      if (newest !== undefined && !isTorn(json, newest.hash)) return { gzipped, bytes: json.length, newest };
    }
    return undefined;
  }
  /** It may take long, as long as anvil answers other calls meanwhile. */
  async #dump(): Promise<Buffer> {
    const hangs = new AbortController();
    const watch = setInterval(async () => {
      if ((await this.#newest()) === undefined) hangs.abort();
    }, ANSWER_MS);
    try {
      return await this.#alone(() => dumpState(this.#rpcUrl, hangs.signal), hangs.signal);
    } finally {
      clearInterval(watch);
    }
  }
}
