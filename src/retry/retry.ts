import { CrecError } from "../errors.ts";
import type { Random } from "../timing/index.ts";

/** Makes a pause random, so that many clients do not call at the same time. */
export type Jitter = (ms: number, random: Random) => number;

/** How long to wait before each further attempt. All times in milliseconds. */
export type Backoff = {
  /** The pause after so many attempts (1, 2, …). */
  delay: (attempt: number) => number;
  /** What `delay` grows up to. */
  backoffLimit: number;
  /** @default none */
  jitter?: Jitter;
};

/** How work is repeated. The names are those of the library `ky`. */
export type RetryPolicy = Backoff & {
  /** How often it is repeated at most. @default without limit */
  limit?: number;
  /** A `Retry-After` up to this counts instead of `delay`, without jitter. @default none counts */
  maxRetryAfter?: number;
  /** What to do about a longer one: wait for `maxRetryAfter`, or fail. @default "wait" */
  beyondMaxRetryAfter?: "wait" | "fail";
};

/** What work returns instead of a result where it may be repeated. */
export class Again {
  /** Thrown where it is not repeated. */
  readonly error: unknown;
  readonly policy: RetryPolicy;
  /** What the attempt failed with; its `Retry-After` counts. */
  readonly failure: unknown;

  constructor(error: unknown, policy: RetryPolicy, failure: unknown = error) {
    this.error = error;
    this.policy = policy;
    this.failure = failure;
  }
}

/** Waits before the next attempt. What it throws ends the work. */
type Pause = (ms: number, error: unknown, attempt: number) => Promise<void>;

/**
 * Repeats work while it returns `Again` and the policy permits it. `attempt` counts from 1. What the work throws is not
 * repeated.
 */
export async function retry<T>(pause: Pause, work: (attempt: number) => Promise<T | Again>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await work(attempt);
    if (!(result instanceof Again)) return result;
    const { error, policy, failure } = result;
    const ms = attempt > (policy.limit ?? attempt) ? undefined : pauseAfter(policy, attempt, failure);
    if (ms === undefined) throw error;
    await pause(ms, error, attempt);
  }
}

/** How long to wait after a failed attempt; undefined where its `Retry-After` is too long to wait for. */
function pauseAfter(policy: RetryPolicy, attempt: number, failure: unknown): number | undefined {
  const { maxRetryAfter, beyondMaxRetryAfter } = policy;
  const asked = retryAfterOf(failure);
  if (asked === undefined || maxRetryAfter === undefined) return backoffMs(policy, attempt);
  if (asked > maxRetryAfter && beyondMaxRetryAfter === "fail") return undefined;
  return Math.min(asked, maxRetryAfter);
}

/** How long to wait after the given attempt (1, 2, …), in milliseconds. */
export function backoffMs(
  { delay, backoffLimit, jitter = (ms) => ms }: Backoff,
  attempt: number,
  random: Random = Math.random,
): number {
  return jitter(Math.min(backoffLimit, delay(attempt)), random);
}

/** What an error says of `Retry-After`, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const asked = error instanceof CrecError && "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return typeof asked === "number" ? asked : undefined;
}
