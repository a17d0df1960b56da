import { deferred } from "../deferred.ts";
import { throwIfAborted, unlessAborted } from "./abort.ts";

/** Holds events back while a consumer is paused. */
export class PauseGate {
  #closed: { opened: Promise<void>; open: () => void } | undefined;

  /** Resolves when the gate opens; undefined while it is open. Check again then: it may have been closed again. */
  get opened(): Promise<void> | undefined {
    return this.#closed?.opened;
  }

  /** Resolves when the gate is open. Throws `ABORTED` when the signal fires. */
  async pass(signal: AbortSignal): Promise<void> {
    while (this.#closed !== undefined) await unlessAborted(this.#closed.opened, signal);
    throwIfAborted(signal);
  }

  /** False when it was closed already. */
  close(): boolean {
    if (this.#closed !== undefined) return false;
    const { promise, resolve } = deferred();
    this.#closed = { opened: promise, open: resolve };
    return true;
  }

  /** False when it was open already. */
  open(): boolean {
    const closed = this.#closed;
    this.#closed = undefined;
    closed?.open();
    return closed !== undefined;
  }
}
