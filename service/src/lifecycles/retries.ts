import { setTimeout as sleep } from "node:timers/promises";
import { FundsProblem } from "../chain/funds.ts";
import { isUnreachable } from "../chain/node/refusals.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";

/** Items that are worked on concurrently: they mostly wait for the node. */
const CONCURRENCY = 16;

/** From one attempt to the next: the disk may be full. */
const PAUSE_MS = 500;

/** Works on all items, started in their order. One that fails does not delay the others; it is retried at the next tick. */
export async function each<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  report: { log: Log; with: (item: T) => string },
): Promise<void> {
  const rest = [...items].values();
  const worker = async () => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        // Missing coins are logged once for all.
        if (error instanceof FundsProblem) continue;
        // So is an unreachable chain.
        if (isUnreachable(error)) continue;
        report.log.warn(`Error with ${report.with(item)}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Work outside the ticks that is tried again when it fails: above all when its result could not be stored. */
export class Retries {
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** Logged once while it lasts. */
  #problem: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Ends all pauses; no attempt starts after this call. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends early when the service stops. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** Tries again, after a pause, until `work` ends without an error or `isOver`. Never rejects. */
  async untilDone(name: string, work: () => Promise<void>, isOver: () => boolean): Promise<void> {
    while (!this.isStopped && !isOver()) {
      try {
        await work();
        this.#problem = undefined;
        return;
      } catch (error) {
        this.#report(name, messageOf(error));
        await this.pause(PAUSE_MS);
      }
    }
  }

  #report(name: string, problem: string): void {
    if (this.isStopped || this.#problem === problem) return;
    this.#problem = problem;
    this.#log.warn(`Error with ${name}: ${problem}. It is tried again.`);
  }
}
