import { callable } from "../../options/index.ts";
import { backoffMs, type Random, SCHEDULES, type Schedule } from "../../timing/index.ts";
import { type ReadErrorKind, readErrorKindOf } from "./read-errors.ts";

const SCHEDULE_OF: Readonly<Record<ReadErrorKind, Schedule>> = {
  retry: SCHEDULES.read,
  missing: SCHEDULES.missing,
  refused: SCHEDULES.refused,
  // Readers stop instead of waiting.
  final: SCHEDULES.refused,
};

/** No Retry-After is followed for longer than this, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long a reader of events waits after an error: longer after each one of the same kind, until a success. */
export class ReadBackoff {
  readonly #random: Random;
  #kind: ReadErrorKind = "retry";
  #attempt = 0;

  constructor(random: Random = Math.random) {
    this.#random = callable<Random>()(random, "random");
  }

  /**
   * Milliseconds to wait after this error. Where the service set `Retry-After`, exactly that, but at most an hour.
   * @example
   * new ReadBackoff().next({ code: "RATE_LIMITED", retryAfterMs: 5_000 }); // → 5000
   */
  next(error: { code: string; retryAfterMs?: unknown }): number {
    const kind = readErrorKindOf(error);
    this.#attempt = kind === this.#kind ? this.#attempt + 1 : 1;
    this.#kind = kind;
    const { retryAfterMs } = error;
    if (typeof retryAfterMs === "number" && retryAfterMs > 0)
      return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    return backoffMs(SCHEDULE_OF[kind], this.#attempt, this.#random);
  }

  succeeded(): void {
    this.#attempt = 0;
  }
}
