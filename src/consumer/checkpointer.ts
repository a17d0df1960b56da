import type { CrecError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import type { Cursor } from "./cursor.ts";
import { asCrecError } from "./error-class.ts";
import type { CursorStore } from "./store.ts";

export type CheckpointerOptions = {
  store: CursorStore;
  clock: Clock;
  pageLimit: number;
  /** Told when a save failed that nobody waited for. */
  onError: (error: CrecError) => void;
};

const RESERVE_AHEAD_WITHIN_MS = 1_000;
/** After a crash, what was reserved comes one at a time. */
const MOST_PAGES_AHEAD = 4;
const SAVE_EVERY_MS = 100;
/** To take the place of a consumer that remembers many events takes some milliseconds. */
const SAVE_EVERY_MS_AN_EVENT = 0.02;

/** When the place is stored: before events are handed over at once, afterwards now and then, at the end exactly. */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #reservedAt = Number.NEGATIVE_INFINITY;
  #ahead = 0;
  /** Set while something waits to be stored. */
  #waiting: AbortController | undefined;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /**
   * Has the store know, before a page is handed over, up to where events may have been. While a backlog is
   * drained it reserves more and more, so that the disk is not written to for each page; but never beyond what
   * exists, so that an event made after a crash is not taken for a repetition. Throws what the store throws.
   */
  async reserve(cursor: Cursor, upTo: number, highest: number | undefined): Promise<void> {
    if (upTo <= cursor.reserved) return;
    const { clock, pageLimit, store } = this.#options;
    const now = clock.now();
    const isDraining = now - this.#reservedAt < RESERVE_AHEAD_WITHIN_MS;
    this.#ahead = isDraining
      ? Math.min(Math.max(2 * this.#ahead, pageLimit), MOST_PAGES_AHEAD * pageLimit)
      : 0;
    this.#reservedAt = now;
    const reserved = Math.max(upTo, Math.min(upTo + this.#ahead, highest ?? upTo));
    cursor.reserve(reserved);
    await store.save(cursor.snapshot(), "now");
    cursor.confirm(reserved);
  }

  /** Stores the place within a moment, as it is then. */
  soon(cursor: Cursor): void {
    if (this.#waiting !== undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { clock, store, onError } = this.#options;
    const save = async (): Promise<void> => {
      const everyMs = Math.max(SAVE_EVERY_MS, SAVE_EVERY_MS_AN_EVENT * cursor.remembered);
      await clock.sleep(everyMs, waiting.signal);
      if (waiting.signal.aborted) return;
      this.#waiting = undefined;
      await store.save(cursor.snapshot(), "soon");
    };
    save().catch((thrown) => onError(asCrecError(thrown)));
  }

  /** Stores the place at once. Throws what the store throws. */
  async now(cursor: Cursor): Promise<void> {
    await this.#options.store.save(cursor.snapshot(), "now");
  }

  /** Forgets what waits to be stored: for a place that is given up. */
  cancel(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  /** Stores the exact place. Gives the error that came of it, if one did. */
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
