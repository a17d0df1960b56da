import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import { blockOfState, inflate, isTorn, keepSnapshot } from "./snapshots.ts";

/** The result of an attempt to save: the newest block and the bytes of the state, or the error. */
export type SaveReport = { saved: { block: number; bytes: number } } | { failed: string };

/** Does the work while nothing else changes the chain. It rejects when `signal` says so before it may begin. */
type Alone = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** A block by its number and hash. */
type Head = { number: number; hash: string };

/** Between checks for new blocks. */
const LOOK_MS = 1000;
/** At most a tenth of the time is spent saving: a larger state is saved less often. */
const REST_PER_SAVE = 9;
/** An anvil that does not answer a simple call for this time hangs. */
const ANSWER_MS = 5000;
const QUICK_MS = 500;
/** Blocks that somebody else makes while anvil collects its state can make it inconsistent. */
const TRIES = 5;

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

/**
 * Anvil's newest block, or the one with this number.
 *
 * @throws Error when there is none, or no answer in time.
 */
async function head(rpcUrl: string, timeoutMs: number, number?: number): Promise<Head> {
  const at = number === undefined ? "latest" : `0x${number.toString(16)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await ask(rpcUrl, "eth_getBlockByNumber", [at, false], signal);
  const { result } = (await json(answer)) as { result?: { number: string; hash: string } | null };
  if (!result) throw new Error(`the chain has no block ${at}`);
  return { number: Number(result.number), hash: result.hash };
}

const RESULT = '"result":"0x';

/**
 * The state of anvil, gzipped JSON. The answer is one hex text that may be longer than a JavaScript string can be.
 *
 * @throws Error when anvil refuses, or goes away meanwhile, or when `signal` says so.
 */
async function dumpState(rpcUrl: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await ask(rpcUrl, "anvil_dumpState", [], signal);
  const pieces: Buffer[] = [];
  let text = "";
  let within = false;
  for await (const chunk of answer.setEncoding("latin1")) {
    text += chunk;
    if (!within) {
      const start = text.indexOf(RESULT);
      if (start < 0) continue;
      text = text.slice(start + RESULT.length);
      within = true;
    }
    const end = text.indexOf('"');
    const digits = end < 0 ? text.length - (text.length % 2) : end;
    pieces.push(Buffer.from(text.slice(0, digits), "hex"));
    text = text.slice(digits);
  }
  if (!within) throw new Error(`the chain returned no state (${text.slice(0, 200)})`);
  if (!text.startsWith('"')) throw new Error("the chain returned an incomplete state");
  return Buffer.concat(pieces);
}

/** Not with `fetch`, which needs 15 MB more memory. */
function ask(
  rpcUrl: string,
  method: string,
  params: unknown[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers: { "content-type": "application/json" }, signal };
    request(rpcUrl, options, resolve)
      .on("error", reject)
      .end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  });
}
