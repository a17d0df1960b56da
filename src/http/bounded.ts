import { setMaxListeners } from "node:events";
import { deferred } from "../deferred.ts";
import { CrecError } from "../errors.ts";
import { AbortedError } from "./errors.ts";

type Bounds = {
  timeoutMs: number;
  /** Makes the error for a time-out. */
  onTimeout: () => CrecError;
  /** Each of them ends the work. A reason that is a `CrecError` is thrown as it is, any other is the cause of `ABORTED`. */
  signals: ReadonlyArray<AbortSignal | undefined>;
};

/** The time that is left. */
export type Countdown = {
  readonly leftMs: number;
  /** Stops it until `resume`: what is waited for then does not count. */
  pause(): void;
  resume(): void;
};

/**
 * Runs `work` and settles at the latest when the time is up or a signal fires, even if the work ignores its signal
 * (undici does while a request is queued or connecting).
 */
export function bounded<T>(
  bounds: Bounds,
  work: (signal: AbortSignal, countdown: Countdown) => Promise<T>,
): Promise<T> {
  const stopped = bounds.signals.find((signal) => signal?.aborted);
  if (stopped) return Promise.reject(reasonOf(stopped));

  const controller = new AbortController();
  const { promise, resolve, reject } = deferred<T>();
  const stop = (error: CrecError) => {
    reject(error);
    controller.abort(error);
  };
  const countdown = countDown(bounds.timeoutMs, () => stop(bounds.onTimeout()));
  const fired = ({ target }: Event) => stop(reasonOf(target as AbortSignal));
  for (const signal of bounds.signals) {
    allowMany(signal);
    signal?.addEventListener("abort", fired);
  }
  work(controller.signal, countdown).then(resolve, reject);
  return promise.finally(() => {
    countdown.pause();
    // Not by a signal for the listeners: the garbage collector may drop some of several.
    for (const signal of bounds.signals) signal?.removeEventListener("abort", fired);
    controller.abort();
  });
}

function countDown(ms: number, onOver: () => void): Countdown {
  let left = ms;
  let begun: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const countdown = {
    get leftMs() {
      return begun === undefined ? left : left - (performance.now() - begun);
    },
    pause: () => {
      left = countdown.leftMs;
      begun = undefined;
      clearTimeout(timer);
    },
    resume: () => {
      begun = performance.now();
      timer = setTimeout(onOver, Math.max(0, left));
    },
  };
  countdown.resume();
  return countdown;
}

/** One signal may end any number of calls. Node.js before 22.12 warns of a leak above ten listeners. */
function allowMany(signal: AbortSignal | undefined): void {
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
}

/** The error for a signal that has fired: its reason where that is one of ours, else `ABORTED` with it as the cause. */
export function reasonOf({ reason }: AbortSignal): CrecError {
  return reason instanceof CrecError ? reason : new AbortedError(undefined, undefined, { cause: reason });
}
