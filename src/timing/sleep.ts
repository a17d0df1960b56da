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
