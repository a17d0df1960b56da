import { sleep } from "./sleep.ts";

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
