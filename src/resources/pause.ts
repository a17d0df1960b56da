import { sleep } from "../timing/index.ts";

/** Waits for `ms` milliseconds. A fired signal only cuts it short: the next call throws what the signal means. */
export function pause(ms: number, signals: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  return sleep(ms, ...signals);
}

/** Up to a quarter more or less, so that many clients do not fall into step. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
