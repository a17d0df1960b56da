import { callable } from "../../options/index.ts";
import { RETRIES } from "../../retry/policies.ts";
import { backoffMs } from "../../retry/retry.ts";
import type { Random } from "../../timing/index.ts";
import { type ReadErrorKind, readErrorKindOf } from "./read-errors.ts";

const POLICY_OF = {
  retry: RETRIES.read,
  missing: RETRIES.missing,
  refused: RETRIES.refused,
  // Readers stop instead of waiting.
  final: RETRIES.refused,
} as const satisfies Record<ReadErrorKind, unknown>;

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
    const policy = POLICY_OF[kind];
    const { retryAfterMs } = error;
    if (typeof retryAfterMs === "number" && retryAfterMs > 0)
      return Math.min(retryAfterMs, policy.maxRetryAfter);
    return backoffMs(policy, this.#attempt, this.#random);
  }

  succeeded(): void {
    this.#attempt = 0;
  }
}
