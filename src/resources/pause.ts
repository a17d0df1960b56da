import { sleep } from "../timing/index.ts";

/** Waits for `ms` milliseconds. A fired signal ends it without an error: the next call throws the signal's error. */
export function pause(ms: number, signals: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  return sleep(ms, ...signals);
}

/** Up to a quarter more or less, so that many clients do not call at the same time. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
