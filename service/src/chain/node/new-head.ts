import { setTimeout as sleep } from "node:timers/promises";
import { isMissingState } from "./refusals.ts";

/** How long the state of the newest block is asked for again. */
const PATIENCE_MS = 5000;
const PAUSE_MS = { first: 20, longest: 250 };

/**
 * Asks at the newest block. A node refuses that while the chain replaces this block, and a provider with several nodes while
 * one of them does not have it yet: then it is asked again, at the block that is the newest by then.
 */
export class NewHead {
  readonly #stopped = new AbortController();

  /** @throws what `ask` throws: its last error, when the node has had no such block for five seconds. */
  async ask<T>(ask: () => Promise<T>): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.longest)) {
      try {
        return await ask();
      } catch (error) {
        const { signal } = this.#stopped;
        if (!isMissingState(error) || signal.aborted || performance.now() + pause > end) throw error;
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Nothing is asked again after this. */
  giveUp(): void {
    this.#stopped.abort();
  }
}
