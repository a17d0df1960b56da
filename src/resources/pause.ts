import { deferred } from "../deferred.ts";

/** Waits for `ms` milliseconds. A fired signal ends it without an error: the next call throws the signal's error. */
export async function pause(ms: number, signals: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  if (signals.some((signal) => signal?.aborted)) return;
  const { promise, resolve } = deferred();
  const timer = setTimeout(resolve, ms);
  const end = () => resolve();
  for (const signal of signals) signal?.addEventListener("abort", end);
  await promise;
  clearTimeout(timer);
  for (const signal of signals) signal?.removeEventListener("abort", end);
}

/** Up to a quarter more or less, so that many clients do not call at the same time. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
