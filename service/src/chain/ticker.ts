import { messageOf, originOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Chain } from "./chain.ts";
import type { Heads } from "./chain-data.ts";
import { isRefusal } from "./node/refusals.ts";

/** Called at each tick with the newest blocks of the chain. */
type TickListener = (heads: Heads) => Promise<void>;

/** From `wake()` to the tick. */
const WAKE_DELAY_MS = 20;
/** Older blocks are final, or on a node without finality. */
const MAX_CHECKED_BLOCKS = 256;

/** The chain may be busy replacing blocks, or its node may restart, for so long. */
const PATIENCE_MS = 15_000;

/**
 * Drives everything that follows the chain. Each tick mines a block where one is due, reads the newest blocks and calls
 * the listeners one after the other. It ticks every `intervalMs`, and soon after `wake()`.
 */
export class Ticker {
  readonly #chain: Chain;
  #intervalMs: number;
  #holds = false;
  readonly #log: Log;
  readonly #following: Following;
  readonly #listeners: TickListener[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;
  #wokenMeanwhile = false;
  #stopped = true;
  #lastMinedAt = Number.NEGATIVE_INFINITY;
  /** The newest block that a transaction may need finalized. */
  #busyUntil = 0;
  /** The newest block that was checked for transactions. */
  #checkedUpTo = 0;
  #unreachable = false;
  readonly #problems = new Map<TickListener, string>();

  constructor(options: { chain: Chain; intervalMs: number; log: Log; following: Following }) {
    this.#chain = options.chain;
    this.#following = options.following;
    this.#intervalMs = options.intervalMs;
    this.#log = options.log;
  }

  /** Time between ticks, and so between blocks where no transaction waits. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** Long work checks it, and ends early. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Whether a transaction waits for the next block, instead of being mined at once. */
  get holds(): boolean {
    return this.#holds;
  }

  /** An interval that holds transactions begins now. */
  setInterval(intervalMs: number, holds = false): void {
    this.#intervalMs = intervalMs;
    this.#holds = holds;
    if (holds) this.#lastMinedAt = performance.now();
    this.wake();
  }

  onTick(listener: TickListener): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Ticks soon: something happened on the chain, or waits for it. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#ticking === undefined) this.#schedule(WAKE_DELAY_MS);
    else this.#wokenMeanwhile = true;
  }

  /** Mines blocks until this one is finalized. */
  keepBusyUntil(block: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, block);
  }

  /** No tick starts after this call. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#ticking;
  }

  #schedule(inMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#wokenMeanwhile = false;
      this.#ticking = this.#tick().finally(() => {
        this.#ticking = undefined;
        if (!this.#stopped) this.#schedule(this.#wokenMeanwhile ? WAKE_DELAY_MS : this.#pauseMs());
      });
    }, inMs);
  }

  /** Ticks that were woken do not delay a block that transactions wait for. */
  #pauseMs(): number {
    if (!this.#holds) return this.#intervalMs;
    const left = this.#lastMinedAt + this.#intervalMs - performance.now();
    return Math.min(Math.max(left, WAKE_DELAY_MS), this.#intervalMs);
  }

  async #tick(): Promise<void> {
    let heads: Heads;
    try {
      if (this.#chain.minesOnRequest) await this.#mineIfDue();
      heads = await this.#chain.heads();
      if (this.#chain.minesOnRequest) await this.#keepBusyForNewBlocks(heads);
      if (this.#unreachable) this.#log.info("The chain answers again.");
      this.#unreachable = false;
    } catch (error) {
      if (!this.#unreachable && !this.#stopped) {
        this.#log.warn(`The chain at ${originOf(this.#chain.rpcUrl)} does not answer (${messageOf(error)}).`);
      }
      this.#unreachable = true;
      this.#following.failed("The node does not answer.");
      return;
    }
    for (const listener of this.#listeners) {
      if (this.#stopped) return;
      // A listener that fails does not delay the others, and is called again at the next tick.
      await listener(heads).then(
        () => this.#problems.delete(listener),
        (error: unknown) => this.#report(listener, messageOf(error)),
      );
    }
  }

  /** A problem that lasts is logged once. */
  #report(listener: TickListener, problem: string): void {
    if (this.#stopped || this.#problems.get(listener) === problem) return;
    this.#problems.set(listener, problem);
    this.#log.warn(`Following the chain failed: ${problem}. It is retried.`);
  }

  async #mineIfDue(): Promise<void> {
    const [waiting, finalized] = await Promise.all([this.#anyWaiting(), this.#finalized()]);
    const unfinalized = finalized < this.#busyUntil;
    const due = performance.now() - this.#lastMinedAt >= this.#intervalMs;
    if (this.#holds ? !due : !waiting && !(unfinalized && due)) return;
    // At rest, an interval that holds ends without a block.
    if (waiting || unfinalized) await this.#chain.mine();
    this.#lastMinedAt = performance.now();
  }

  /**
   * Every transaction has to become final. What a block holds is known only after it is mined: a transaction may arrive
   * just before, and other programs may mine too.
   */
  async #keepBusyForNewBlocks({ latest, finalized }: Heads): Promise<void> {
    // The chain may have been reset to an older block.
    const known = Math.max(
      Math.min(this.#checkedUpTo, latest.number),
      finalized,
      latest.number - MAX_CHECKED_BLOCKS,
    );
    for (let number = known + 1; number < latest.number; number += 1) {
      if ((await this.#chain.block(number))?.transactions) this.keepBusyUntil(number);
      this.#checkedUpTo = number;
    }
    if (latest.transactions > 0) this.keepBusyUntil(latest.number);
    this.#checkedUpTo = latest.number;
  }

  /** The newest finalized block; infinity where the node has no finality. */
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

/** Whether the service follows the chain: for the start page and the health check. */
export class Following {
  readonly #now: () => number;
  #failing: { since: number; reason: string } | undefined;
  readonly #passedOver = new Set<number>();

  /** `now` returns milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Why the chain is not followed; undefined while it is, or will be in a moment. */
  get problem(): string | undefined {
    const failing = this.#failing;
    if (failing === undefined || this.#now() - failing.since < PATIENCE_MS) return undefined;
    return failing.reason;
  }

  /** Blocks that the node does not have, and whose events are not reported, since the start. */
  get passedOver(): number {
    return this.#passedOver.size;
  }

  succeeded(): void {
    this.#failing = undefined;
  }

  failed(reason: string): void {
    this.#failing = { since: this.#failing?.since ?? this.#now(), reason };
  }

  passOver(blocks: readonly number[]): void {
    for (const block of blocks) this.#passedOver.add(block);
  }
}
