import { deferred } from "../deferred.ts";

/** Runs at most `limit` pieces of work at the same time; the others queue in order and can leave at any time. */
export class Semaphore {
  #free: number;
  readonly #queue = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs `work` when a slot is free. Rejects with the signal's reason when it fires in the queue. */
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
    const leaveQueue = () => {
      this.#queue.delete(enter);
      reject(signal.reason);
    };
    const enter = () => {
      signal.removeEventListener("abort", leaveQueue);
      resolve();
    };
    signal.addEventListener("abort", leaveQueue, { once: true });
    this.#queue.add(enter);
    return promise;
  }

  /** Passes the slot to the first in the queue, if there is one. */
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
