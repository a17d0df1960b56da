import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";

/** From one attempt to the next: the disk may be full. */
const PAUSE_MS = 500;

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
