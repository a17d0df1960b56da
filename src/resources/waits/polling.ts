import type { CrecError } from "../../errors.ts";
import { bounded, CALL_OPTIONS } from "../../http/index.ts";
import { type Kinds, milliseconds, optional, shape } from "../../options/index.ts";
import { POLLS } from "../../retry/policies.ts";
import { poll } from "../../retry/poll.ts";
import { sleep } from "../../timing/index.ts";

/** Milliseconds between two requests: from `min`, growing while nothing changes, to `max`. */
export type PollInterval = { min: number; max: number };

/** What every wait takes. */
export type PollingOptions = {
  /**
   * Milliseconds until the wait ends with `WAIT_TIMEOUT`.
   * @default 300_000
   */
  timeoutMs?: number | undefined;
  /** Ends the wait with `ABORTED` when it fires. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds between two requests: from `min`, growing while nothing changes, to `max`.
   * @default { min: 250, max: 5_000 }
   */
  pollMs?: PollInterval | undefined;
};

export const POLLING: Kinds<PollingOptions> = {
  ...CALL_OPTIONS,
  pollMs: optional(shape<PollInterval>({ min: milliseconds, max: milliseconds })),
};

export const DEFAULT_TIMEOUT_MS = 300_000;
export const DEFAULT_POLL_MS: PollInterval = { min: POLLS.wait.min, max: POLLS.wait.max };

type Polling<T> = {
  /** Gets what is new since the last time, oldest first. */
  look: (signal: AbortSignal) => Promise<readonly T[]>;
  /** Whether an error of `look` may pass. Any other ends the polling. */
  isPassing: (error: unknown) => boolean;
  /** Makes the error when the time is up. */
  onTimeout: () => CrecError;
  timeoutMs: number;
  pollMs: PollInterval;
  signals: ReadonlyArray<AbortSignal | undefined>;
};

/**
 * Polls until the caller stops iterating: what each request finds, where it finds something. All waits of this library
 * go through it.
 * @throws {CrecError} what `onTimeout` makes; {HttpError} `ABORTED`, `CLIENT_CLOSED`; what `look` throws and cannot pass.
 */
export async function* pollWithin<T>(polling: Polling<T>): AsyncGenerator<readonly T[], never, undefined> {
  const { look, isPassing, onTimeout, timeoutMs, pollMs, signals } = polling;
  const deadline = performance.now() + timeoutMs;
  const inTime = <R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> =>
    bounded({ timeoutMs: Math.max(1, deadline - performance.now()), onTimeout, signals }, work);
  let passing: unknown;
  const lookInTime = () =>
    inTime(async (signal) => {
      signal.throwIfAborted();
      try {
        const news = await look(signal);
        return news.length > 0 ? news : undefined;
      } catch (error) {
        if (!signal.aborted && isPassing(error)) passing = error;
        throw error;
      }
    });
  return yield* poll({
    policy: { ...POLLS.wait, ...pollMs },
    look: lookInTime,
    isPassing: (error) => error === passing,
    // Never longer than the wait itself: a timer that is set to too much fires immediately.
    pause: (ms) => inTime((signal) => sleep(Math.min(timeoutMs, ms), signal)),
  });
}
