import { asCrecError, type CrecError } from "../../errors.ts";
import type { ConsumerLease } from "../../ownership/lease.ts";
import type { CursorStore } from "../../storage/cursor/store.ts";
import type { Clock } from "../../timing/index.ts";
import type { Cursor } from "./cursor.ts";

type CheckpointerOptions = {
  store: CursorStore;
  clock: Clock;
  pageLimit: number;
  /** Limits what is reserved ahead. */
  lease?: ConsumerLease | undefined;
  /** Called when a save in the background failed. */
  onError: (error: CrecError) => void;
};

const RESERVE_AHEAD_WITHIN_MS = 1_000;
/** After a crash, the events that were reserved are handed over one at a time. */
const MAX_PAGES_AHEAD = 4;
const SAVE_INTERVAL_MS = 100;
/** A snapshot of a cursor that remembers many events takes some milliseconds. */
const SAVE_INTERVAL_MS_PER_EVENT = 0.02;

/** Stores the cursor: immediately before events are handed over, soon after they are settled, exactly at the end. */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #reservedAt = Number.NEGATIVE_INFINITY;
  #ahead = 0;
  /** How many events were handed over since then. */
  #handedOver = 0;
  /** Set while a save is scheduled. */
  #waiting: AbortController | undefined;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /**
   * Stores, before an event is handed over, up to which offset events may be handed over: at least that of the event,
   * and those of its page; and the lowest that is not settled. While a backlog is drained it reserves more and more, so
   * that not each page needs a write; but never beyond the events that exist, so that an event created after a crash
   * does not count as redelivered. With a lease, only as many as can be handed over before it ends. Throws what the
   * store throws.
   */
  async reserve(
    cursor: Cursor,
    { offset, page }: { offset: number; page: readonly number[] },
    highest: number | undefined,
  ): Promise<void> {
    if (cursor.isReserved(offset)) return;
    const { clock, pageLimit, store } = this.#options;
    const events = this.#affordable();
    const now = clock.elapsed();
    const isDraining = now - this.#reservedAt < RESERVE_AHEAD_WITHIN_MS;
    this.#ahead = isDraining
      ? Math.min(Math.max(2 * this.#ahead, pageLimit), MAX_PAGES_AHEAD * pageLimit)
      : 0;
    this.#reservedAt = now;
    this.#handedOver = 0;
    const rest = page.filter((at) => at >= offset);
    const last = rest.at(-1) ?? offset;
    const ahead = Math.min(this.#ahead, events - rest.length);
    const reserved = rest[events - 1] ?? Math.max(last, Math.min(last + ahead, highest ?? last));
    cursor.reserve(reserved);
    await store.save(cursor.snapshot(), "now");
    cursor.confirm(reserved);
  }

  /** An event is handed over. */
  handedOver(): void {
    this.#handedOver += 1;
  }

  /**
   * How many events can be handed over in the rest of the lease, at the rate since the last reservation. At most twice
   * as many as since then, since a receiver may take some at once and then no more.
   */
  #affordable(): number {
    const { lease, clock } = this.#options;
    if (lease === undefined) return Number.POSITIVE_INFINITY;
    const ms = Math.max(1, clock.elapsed() - this.#reservedAt);
    const byRate = Math.floor((this.#handedOver / ms) * lease.remainingMs());
    return Math.max(1, Math.min(2 * this.#handedOver, byRate));
  }

  /** Stores the cursor a moment later, as it is then. */
  soon(cursor: Cursor): void {
    if (this.#waiting !== undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { clock, store, onError } = this.#options;
    const save = async (): Promise<void> => {
      const intervalMs = Math.max(SAVE_INTERVAL_MS, SAVE_INTERVAL_MS_PER_EVENT * cursor.remembered);
      await clock.sleep(intervalMs, waiting.signal);
      if (waiting.signal.aborted) return;
      this.#waiting = undefined;
      await store.save(cursor.snapshot(), "soon");
    };
    save().catch((thrown) => onError(asCrecError(thrown)));
  }

  /** Stores the cursor immediately. Throws what the store throws. */
  async now(cursor: Cursor): Promise<void> {
    await this.#options.store.save(cursor.snapshot(), "now");
  }

  /** Cancels a scheduled save: for a cursor that is replaced. */
  cancel(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  /** Stores the exact cursor. Returns the error when that failed. */
  async close(cursor: Cursor | undefined): Promise<CrecError | undefined> {
    this.cancel();
    const { store } = this.#options;
    try {
      if (cursor !== undefined) await store.save(cursor.snapshot({ exact: true }), "now");
      await store.close?.();
      return undefined;
    } catch (thrown) {
      return asCrecError(thrown);
    }
  }
}
