import { CrecError } from "../errors.ts";

/** Time as the consumer sees it, so that tests can turn the hands themselves. Milliseconds throughout. */
export type Clock = {
  now(): number;
  /** Time that has passed since some moment. Nobody can set it, unlike the machine's clock. */
  elapsed(): number;
  /** Resolves after `ms`, or as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      signal.addEventListener("abort", over, { once: true });
    }),
};

/**
 * The promise's outcome, or an `ABORTED` error at the moment the signal fires (or when `grace` is over after that):
 * what is waited for may itself be deaf to the signal.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  grace: () => Promise<void> = async () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => void grace().then(() => reject(stopped()));
    const forget = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(forget);
  });
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw stopped();
}

function stopped(): CrecError {
  return new CrecError("ABORTED", "Reading events was stopped, as asked.");
}
