import { deferred } from "../deferred.ts";
/** Lets at most `limit` pieces of work run at once; the others queue in order and can leave at any time. */
export class Semaphore {
  #free: number;
  readonly #queue = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Waits for a place, works, and gives it back. Rejects with the signal's reason when it fires in the queue. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = deferred();
    const giveUp = () => {
      this.#queue.delete(turn);
      reject(signal.reason);
    };
    const turn = () => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#queue.add(turn);
    return promise;
  }

  /** Hands the place to the first in the queue, if there is one. */
  #leave(): void {
    const [next] = this.#queue;
    if (next) {
      this.#queue.delete(next);
      next();
    } else {
      this.#free += 1;
    }
  }
}
