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
const ANSWER_MS = 1500;
/** Blocks made while anvil puts its state together spoil it now and then. */
const TRIES = 10;
const inflate = promisify(gunzip);

/** Saves the state of an anvil after it has new blocks. An idle one is left alone. */
export class Saving {
  readonly #rpcUrl: string;
  readonly #folder: string;
  readonly #tell: (report: SaveReport) => void;
  readonly #stopped = new AbortController();
  #running: Promise<void>;
  #saved: string | undefined;

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
      // Once in any case: balances, say, can be set without a block.
      if (tries > 0 && (await this.#newest())?.hash === this.#saved) return;
      // An anvil that hangs or is gone has nothing to give.
      if ((await this.#newest()) === undefined || !(await this.#save())) return;
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
      const start = performance.now();
      await this.#save();
      pause = Math.max(LOOK_MS, REST_PER_SAVE * (performance.now() - start));
    }
  }

  #newest(): Promise<Head | undefined> {
    return head(this.#rpcUrl, ANSWER_MS).catch(() => undefined);
  }

  /** Whether it is saved now. */
  async #save(): Promise<boolean> {
    try {
      const { gzipped, bytes, newest } = await this.#wholeState();
      await keepSnapshot(this.#folder, gzipped);
      this.#saved = newest.hash;
      this.#tell({ saved: { block: newest.number, bytes } });
      return true;
    } catch (error) {
      // Without an anvil there is nothing to tell about.
      if ((await this.#newest()) !== undefined) this.#tell({ failed: messageOf(error) });
      return false;
    }
  }

  async #wholeState(): Promise<{ gzipped: Buffer; bytes: number; newest: Head }> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const gzipped = await dumpState(this.#rpcUrl);
      const json = await inflate(gzipped);
      const newest = await head(this.#rpcUrl, ANSWER_MS, blockOfState(json)).catch(() => undefined);
      if (newest !== undefined && !isTorn(json, newest.hash)) return { gzipped, bytes: json.length, newest };
    }
    throw new Error("blocks were made too quickly");
  }
}
