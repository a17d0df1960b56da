import { throwIfAborted, unlessAborted } from "../../abort.ts";
import { deferred } from "../../deferred.ts";
import type { ConsumerLease } from "../../ownership/lease.ts";
import type { Clock } from "../../timing/index.ts";

/** How long to wait before a lease that could not be confirmed is confirmed again. */
const CONFIRM_AGAIN_MS = 1_000;

/** Holds events back while a consumer is paused, and while it is not sure of its lease. */
export class PauseGate {
  readonly #clock: Clock;
  readonly #lease: ConsumerLease | undefined;
  #closed: { opened: Promise<void>; open: () => void } | undefined;

  constructor({ clock, lease }: { clock: Clock; lease?: ConsumerLease | undefined }) {
    this.#clock = clock;
    this.#lease = lease;
  }

  get isPaused(): boolean {
    return this.#closed !== undefined;
  }

  /** Resolves when the gate may be open; undefined while it is. Check again then: it may have been closed again. */
  get opened(): Promise<void> | undefined {
    return this.#closed?.opened ?? this.sure;
  }

  /** The same, even during a pause. */
  get sure(): Promise<void> | undefined {
    const lease = this.#lease;
    if (lease === undefined || lease.isSure) return undefined;
    // Once it is over, nothing is handed over any more.
    if (lease.over.aborted) return new Promise(() => {});
    return lease.confirm().catch(() => this.#clock.sleep(CONFIRM_AGAIN_MS, lease.over));
  }

  /** Resolves when the gate is open. Throws `ABORTED` when the signal fires. */
  async pass(signal: AbortSignal): Promise<void> {
    for (let { opened } = this; opened !== undefined; { opened } = this) await unlessAborted(opened, signal);
    throwIfAborted(signal);
  }

  /** False when it was paused already. */
  close(): boolean {
    if (this.#closed !== undefined) return false;
    const { promise, resolve } = deferred();
    this.#closed = { opened: promise, open: resolve };
    return true;
  }

  /** False when it was not paused. */
  open(): boolean {
    const closed = this.#closed;
    this.#closed = undefined;
    closed?.open();
    return closed !== undefined;
  }
}
