import { CrecError } from "./errors.ts";

/**
 * The promise's outcome, or an `ABORTED` error as soon as the signal fires (or when `grace` is over after that), since
 * the promise itself may ignore the signal.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  grace: () => Promise<void> = async () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => void grace().then(() => reject(aborted(signal)));
    const forget = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(forget);
  });
}

/** Throws `ABORTED` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal);
}

function aborted({ reason }: AbortSignal): CrecError {
  return new CrecError("ABORTED", "Reading events was stopped.", { cause: reason });
}
