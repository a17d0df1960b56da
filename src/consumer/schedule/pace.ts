import type { Clock } from "../../timing/index.ts";

/** When a consumer polls, so that several readers of one channel poll together, with the same requests. */
export type Pace = {
  /** Waits between two polls: `ms` milliseconds, or less when another reader is due. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Monotonic time in milliseconds, the same for all readers: what is due each minute is due for all of them in the same
   * poll.
   */
  elapsed(): number;
  /** Whether to request events of all types, since another reader requests them anyway. */
  readonly allTypes: boolean;
};

/** A consumer's clock: its monotonic time is that of the pace, else it begins now. */
export function pacedClock(clock: Clock, pace: Pace | undefined): Clock {
  const begun = clock.elapsed();
  return {
    now: () => clock.now(),
    elapsed: () => pace?.elapsed() ?? clock.elapsed() - begun,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/**
 * Whether something is due again that was done at `lastMs`. It is due at each multiple of the interval, so that it is
 * due for all readers of a channel at the same time.
 */
export function isDueAgain(lastMs: number, nowMs: number, intervalMs: number): boolean {
  return Math.floor(lastMs / intervalMs) < Math.floor(nowMs / intervalMs);
}
