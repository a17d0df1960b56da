import { CrecError } from "../../errors.ts";
import { anything, callable, like } from "../../options/index.ts";
import { KEY_REFUSALS, type KeyRefusal } from "../../protocol/errors.ts";
import { RETRIES } from "../../retry/policies.ts";
import { backoffMs } from "../../retry/retry.ts";
import type { Random } from "../../timing/index.ts";

/**
 * What an error means for a reader of events. `retry`: it may pass. `missing`: what is read is not there yet, and is
 * probably being created. `refused`: the key, or its rights, are refused, which a person has to fix. `final`: waiting
 * does not help.
 */
export type ReadErrorKind = "retry" | "missing" | "refused" | "final";

const KINDS: Readonly<Record<string, ReadErrorKind>> = {
  CHANNEL_REPLACED: "final",
  CURSOR_OF_ANOTHER_CHANNEL: "final",
  CURSOR_FILE_DAMAGED: "final",
  STATE_FILE_NEWER: "final",
  CURSOR_LOST: "final",
  SHARED_CURSOR_DAMAGED: "final",
  CONSUMER_NAME_TAKEN: "final",
  CONSUMER_MOVED: "final",
  CLIENT_CLOSED: "final",
  ...(Object.fromEntries(KEY_REFUSALS.map((code) => [code, "refused"])) as Record<KeyRefusal, "refused">),
  CHANNEL_NOT_FOUND: "missing",
  NOT_FOUND: "missing",
  WATCHER_NOT_FOUND: "missing",
};

/** An error of any origin may have no code. */
const errorKind = like<{ code: string; retryAfterMs?: unknown }>({
  code: anything(),
  retryAfterMs: anything(),
});

/**
 * What an error means for a reader of events, when it looks up its channel and when it polls.
 * @example
 * readErrorKindOf({ code: "FORBIDDEN" }); // → "refused"
 */
export function readErrorKindOf(error: { code: string }): ReadErrorKind {
  const { code }: { code: unknown } = errorKind(error, "error");
  // A service may have codes of its own, of any name.
  return (typeof code === "string" && Object.hasOwn(KINDS, code) ? KINDS[code] : undefined) ?? "retry";
}

/** Whether an event is larger than an answer may be. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof CrecError && error.code === "EVENT_TOO_LARGE";
}

/** Whether the channel itself is missing. */
export function isChannelMissing({ code }: CrecError): boolean {
  return code === "CHANNEL_NOT_FOUND" || code === "NOT_FOUND";
}

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
