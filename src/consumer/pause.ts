import { deferred } from "../deferred.ts";
import { throwIfAborted, unlessAborted } from "./clock.ts";

/** A pause that others can wait out. */
export class Pause {
  #present: { over: Promise<void>; end: () => void } | undefined;

  /** Resolves when the present pause ends; undefined when there is none. Look again then: another may follow. */
  get over(): Promise<void> | undefined {
    return this.#present?.over;
  }

  /** Resolves when it is not paused. Throws `ABORTED` when the signal fires. */
  async passed(signal: AbortSignal): Promise<void> {
    while (this.#present !== undefined) await unlessAborted(this.#present.over, signal);
    throwIfAborted(signal);
  }

  /** Whether it was not paused before. */
  begin(): boolean {
    if (this.#present !== undefined) return false;
    const { promise, resolve } = deferred();
    this.#present = { over: promise, end: resolve };
    return true;
  }

  /** Whether it was paused before. */
  end(): boolean {
    const present = this.#present;
    this.#present = undefined;
    present?.end();
    return present !== undefined;
  }
}
