import { unlessAborted } from "../abort.ts";
import { callable, duration, kindOf, like, optional, options } from "../options/index.ts";
import { type CursorState, stateKind } from "../storage/cursor/cursor-state.ts";
import { type CursorStore, urgencyKind } from "../storage/cursor/store.ts";
import { type Clock, readClocks } from "../timing/index.ts";
import { Lease, takenOver } from "./lease.ts";
import type { SharedState } from "./shared-state.ts";

export type SharedCursorStoreOptions = {
  shared: Pick<SharedState, "save">;
  /** Only while this process has it can the cursor be changed. */
  lease: Lease;
  /** Shortest time between two writes that can wait, in milliseconds. @default 1_000 */
  minIntervalMs?: number | undefined;
};

const storeOptions = options<SharedCursorStoreOptions>({
  shared: like<Pick<SharedState, "save">>({ save: callable() }),
  lease: kindOf("the lease of a LeaseKeeper", (value) => value instanceof Lease),
  minIntervalMs: optional(duration),
});

/**
 * Keeps the cursor of a consumer in a state that several copies share, for the time of one lease. A save also renews the
 * lease. When another copy has taken it, saving throws `CONSUMER_MOVED` and changes nothing.
 */
export class SharedCursorStore implements CursorStore {
  readonly #options: SharedCursorStoreOptions;
  readonly #clock: Clock;
  #stored: CursorState | undefined;
  #unwritten: CursorState | undefined;
  /** Set while a write that can wait is scheduled. */
  #waiting: AbortController | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: SharedCursorStoreOptions) {
    this.#options = storeOptions(options);
    const { lease } = this.#options;
    this.#clock = lease.clock;
    this.#stored = lease.state;
  }

  /** The state that was saved last, by this copy or the one before. Throws when that is damaged. */
  async load(): Promise<CursorState | undefined> {
    const { damaged } = this.#options.lease;
    if (this.#stored === undefined && damaged) throw damaged;
    return this.#stored;
  }

  /**
   * `soon`: at most one write each second. Throws `CONSUMER_MOVED` once the lease is over, and what the engine throws;
   * when a save that can wait fails, the next one that cannot wait throws it.
   */
  async save(state: CursorState, urgency: "now" | "soon" = "soon"): Promise<void> {
    const { lease, minIntervalMs = 1_000 } = this.#options;
    if (lease.over.aborted) throw lease.over.reason;
    stateKind(state, "state");
    urgencyKind(urgency, "urgency");
    this.#unwritten = state;
    if (urgency === "now") return this.#flush();
    if (this.#waiting !== undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const waitMs = Math.max(0, this.#writtenAt + minIntervalMs - this.#clock.elapsed());
    void this.#clock.sleep(waitMs, waiting.signal).then(() => {
      // The state stays unwritten when this fails: the next save or close tries again, and throws.
      if (!waiting.signal.aborted) this.#flush().catch(() => {});
    });
  }

  /** Writes what is unwritten. Once the lease is over, nothing can be written. */
  async close(): Promise<void> {
    if (!this.#options.lease.over.aborted) return this.#flush();
    this.#waiting?.abort();
    this.#waiting = undefined;
    this.#unwritten = undefined;
  }

  /** Writes what is unwritten, one write after another: the engine must not get an older state after a newer one. */
  async #flush(): Promise<void> {
    this.#waiting?.abort();
    this.#waiting = undefined;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    const { over } = this.#options.lease;
    // An engine that does not answer must not keep a consumer from stopping.
    await unlessAborted(written, over).catch((error) => {
      throw over.aborted ? over.reason : error;
    });
  }

  async #write(): Promise<void> {
    const { shared, lease } = this.#options;
    const state = this.#unwritten;
    if (state === undefined) return;
    if (lease.over.aborted) throw lease.over.reason;
    this.#unwritten = undefined;
    this.#writtenAt = this.#clock.elapsed();
    const since = readClocks(this.#clock);
    let isOwn: boolean;
    try {
      isOwn = await shared.save(lease.key, lease.epoch, state, lease.leaseMs);
    } catch (error) {
      this.#unwritten ??= state;
      throw error;
    }
    if (!isOwn) {
      lease.end(takenOver());
      throw lease.over.reason;
    }
    lease.renewed(since);
    this.#stored = state;
  }
}
