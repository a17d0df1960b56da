import { deferred } from "../../deferred.ts";
import { sleep } from "../../timing/index.ts";

const WINDOW_MS = 1_000;

type Waiting = { enter: () => void };

/** Lets so many searches of waits start within any second. Those that many waits share come first. */
export class SearchTurns {
  readonly #most: number;
  readonly #starts: number[] = [];
  readonly #shared = new Set<Waiting>();
  readonly #own = new Set<Waiting>();
  #isRunning = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the turn has come. Rejects with the signal's reason when it fires before. */
  async take(signal: AbortSignal | undefined, isShared = false): Promise<void> {
    signal?.throwIfAborted();
    const line = isShared ? this.#shared : this.#own;
    const { promise, resolve, reject } = deferred();
    const waiting = { enter: resolve };
    const leave = () => {
      line.delete(waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    line.add(waiting);
    void this.#run();
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#shared.size + this.#own.size > 0) {
      const oldest = this.#starts.length < this.#most ? undefined : this.#starts[0];
      const waitMs = oldest === undefined ? 0 : oldest + WINDOW_MS - performance.now();
      if (waitMs > 0) {
        await sleep(Math.ceil(waitMs));
        continue;
      }
      const line = this.#shared.size > 0 ? this.#shared : this.#own;
      const [next] = line;
      if (next === undefined) continue;
      line.delete(next);
      this.#starts.push(performance.now());
      if (this.#starts.length > this.#most) this.#starts.shift();
      next.enter();
    }
    this.#isRunning = false;
  }
}
