import { setImmediate } from "node:timers/promises";

/** The longest time a timer of Node.js holds, in milliseconds; it fires immediately when given more. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after `ms` milliseconds, or as soon as one of the signals fires. Never rejects: the caller checks its signal
 * next. Longer times than a timer holds are cut to `LONGEST_TIMER_MS`.
 */
export function sleep(ms: number, ...signals: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted)) return resolve();
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
    for (const signal of signals) signal?.addEventListener("abort", end);
  });
}

/** Resolves in the next turn of the event loop, after the timers and sockets that are ready. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate();
}

/** A number from 0 up to 1, as `Math.random` returns. */
export type Random = () => number;

/** Time, in milliseconds. Tests give a clock that they move themselves. */
export type Clock = {
  /** Unix time by the machine's clock, which may be set. */
  now(): number;
  /** Monotonic time since some moment: setting the machine's clock does not change it. */
  elapsed(): number;
  /** Resolves after `ms`, or as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, signal),
};

/** Unix seconds as RFC 3339, the form inside signed texts. */
export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

type Clocks = Pick<Clock, "now" | "elapsed">;

/** A moment by both clocks of the machine. */
export type ClockReading = { monotonic: number; wall: number };

export function readClocks(clock: Clocks): ClockReading {
  return { monotonic: clock.elapsed(), wall: clock.now() };
}

/**
 * How long ago a moment was, at most. The monotonic clock may stand still while the machine sleeps; after the other one
 * was set, this is more than it was.
 */
export function elapsedSince({ monotonic, wall }: ClockReading, clock: Clocks): number {
  return Math.max(clock.elapsed() - monotonic, Math.abs(clock.now() - wall));
}

/**
 * When a moment was by what the machine's clock says now, in Unix milliseconds. If the clocks disagree, the earlier time:
 * the monotonic one stands still while the machine sleeps, and the other one may have been set.
 */
export function timeOf({ monotonic, wall }: ClockReading, clock: Clocks): number {
  return Math.min(wall, Math.floor(clock.now() - (clock.elapsed() - monotonic)));
}
