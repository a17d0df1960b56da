import { ApiError } from "../errors.ts";
import { Yielder } from "../store/yielder.ts";
import type { Pause } from "./story.ts";

/** How long a caller may take to read what was sent before others get their files. */
const STALLED_MS = 10_000;

type Caller = {
  /** Whether nobody waits for the file any more. */
  isGone(): boolean;
  /** Called when the caller has read nothing for some time: it must be gone then. */
  drop(): void;
};

/**
 * Makes one file at a time, however many are asked for; the others wait in the order of asking. Each is made in slices of a
 * few milliseconds, as fast as its caller reads it, and only as long as the caller is there.
 */
export class FileQueue {
  readonly #yielder = new Yielder();
  readonly #stalledMs: number;
  #last: Promise<void> = Promise.resolve();

  constructor({ stalledMs = STALLED_MS } = {}) {
    this.#stalledMs = stalledMs;
  }

  /**
   * The pieces of a file, when its turn comes.
   *
   * @throws ApiError 503 when the caller has gone
   */
  async *pieces(
    make: (pause: Pause) => AsyncGenerator<string, void>,
    caller: Caller,
  ): AsyncGenerator<string, void> {
    const end = await this.#turn();
    let stalled: NodeJS.Timeout | undefined;
    try {
      for await (const piece of make(() => this.#pause(caller))) {
        stalled = setTimeout(() => caller.drop(), this.#stalledMs);
        yield piece;
        clearTimeout(stalled);
      }
    } finally {
      clearTimeout(stalled);
      end();
    }
  }

  /** Resolves when all files before have ended, with what ends this one. */
  async #turn(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  async #pause({ isGone }: Caller): Promise<void> {
    if (isGone()) throw callerGone();
    if (this.#yielder.shouldYield()) await this.#yielder.yield();
  }
}

/** Ends the work. Nobody gets it as an answer, and it is no failure of the service. */
function callerGone(): ApiError {
  const message = "The caller has gone, or the service is stopping. Ask for the file again.";
  return new ApiError(503, { type: "INTERNAL_ERROR", message });
}
