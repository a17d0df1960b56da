import type { Log } from "../log.ts";
import { messageOf, originOf } from "../problem.ts";
import type { Chain } from "./chain.ts";
import type { Heads } from "./chain-data.ts";
import { isRefusal } from "./node/refusals.ts";

/** Called at each beat with how far the chain is. */
export type BeatListener = (heads: Heads) => Promise<void>;

/** Closest distance of two beats that were asked for. */
const POKE_DISTANCE_MS = 20;
/** Blocks further down are final, or on a node that knows no finality. */
const MOST_LOOKED_AT = 256;

/**
 * The heartbeat of everything that follows the chain. Each beat mines a block where one is due, reads the
 * chain's heads and tells the listeners one after the other. It beats every `intervalMs`, and soon after `poke()`.
 */
export class Pulse {
  readonly #chain: Chain;
  #intervalMs: number;
  readonly #log: Log;
  readonly #listeners: BeatListener[] = [];
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #pokedAgain = false;
  #stopped = true;
  #lastMinedAt = Number.NEGATIVE_INFINITY;
  /** The newest block that somebody may wait to see finalized. */
  #busyUntil = 0;
  /** The newest block that was looked at for transactions. */
  #lookedUpTo = 0;
  #troubled = false;
  readonly #problems = new Map<BeatListener, string>();

  constructor(options: { chain: Chain; intervalMs: number; log: Log }) {
    this.#chain = options.chain;
    this.#intervalMs = options.intervalMs;
    this.#log = options.log;
  }

  /** From beat to beat, and so from block to block. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** What takes long is to end when it is. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  setInterval(intervalMs: number): void {
    this.#intervalMs = intervalMs;
    this.poke();
  }

  onBeat(listener: BeatListener): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Something happened on the chain or waits for it: beat soon. */
  poke(): void {
    if (this.#stopped) return;
    if (this.#beating === undefined) this.#schedule(POKE_DISTANCE_MS);
    else this.#pokedAgain = true;
  }

  /** Keeps blocks coming until this one is finalized. */
  keepBusyUntil(block: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, block);
  }

  /** No beat starts any more; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  #schedule(inMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#pokedAgain = false;
      this.#beating = this.#beat().finally(() => {
        this.#beating = undefined;
        if (!this.#stopped) this.#schedule(this.#pokedAgain ? POKE_DISTANCE_MS : this.#intervalMs);
      });
    }, inMs);
  }

  async #beat(): Promise<void> {
    let heads: Heads;
    try {
      if (this.#chain.minesOnRequest) await this.#mineIfDue();
      heads = await this.#chain.heads();
      if (this.#chain.minesOnRequest) await this.#keepBusyForNewBlocks(heads);
      if (this.#troubled) this.#log.info("The chain answers again.");
      this.#troubled = false;
    } catch (error) {
      if (!this.#troubled && !this.#stopped) {
        this.#log.warn(`The chain at ${originOf(this.#chain.rpcUrl)} does not answer (${messageOf(error)}).`);
      }
      this.#troubled = true;
      return;
    }
    for (const listener of this.#listeners) {
      if (this.#stopped) return;
      // A lifecycle that fails does not delay the others; it is tried again at the next beat.
      await listener(heads).then(
        () => this.#problems.delete(listener),
        (error: unknown) => this.#tell(listener, messageOf(error)),
      );
    }
  }

  /** What goes wrong at each beat is told once. */
  #tell(listener: BeatListener, problem: string): void {
    if (this.#stopped || this.#problems.get(listener) === problem) return;
    this.#problems.set(listener, problem);
    this.#log.warn(`Following the chain does not go on: ${problem}. It is tried again at each beat.`);
  }

  async #mineIfDue(): Promise<void> {
    const [waiting, finalized] = await Promise.all([this.#anyWaiting(), this.#finalized()]);
    const unfinalized = finalized < this.#busyUntil;
    const due = performance.now() - this.#lastMinedAt >= this.#intervalMs;
    if (!waiting && !(unfinalized && due)) return;
    await this.#chain.mine();
    this.#lastMinedAt = performance.now();
  }

  /**
   * Every transaction is to become final. What a block holds is known only once it is there: a transaction may
   * come just before it is mined, and others may mine, too.
   */
  async #keepBusyForNewBlocks({ latest, finalized }: Heads): Promise<void> {
    // The chain may have been put back.
    const known = Math.max(
      Math.min(this.#lookedUpTo, latest.number),
      finalized,
      latest.number - MOST_LOOKED_AT,
    );
    for (let number = known + 1; number < latest.number; number += 1) {
      if ((await this.#chain.block(number))?.transactions) this.keepBusyUntil(number);
      this.#lookedUpTo = number;
    }
    if (latest.transactions > 0) this.keepBusyUntil(latest.number);
    this.#lookedUpTo = latest.number;
  }

  /** The newest finalized block; every block is where the node knows no such thing. */
  async #finalized(): Promise<number> {
    try {
      return (await this.#chain.block("finalized"))?.number ?? 0;
    } catch (error) {
      if (isRefusal(error)) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  async #anyWaiting(): Promise<boolean> {
    try {
      return Number((await this.#chain.rpc<{ pending: string }>("txpool_status")).pending) > 0;
    } catch (error) {
      // A node without this method mines each transaction by itself.
      if (isRefusal(error)) return false;
      throw error;
    }
  }
}
