import { deferred } from "../../deferred.ts";
import type { Clock } from "../../timing/index.ts";

type Sleeper = { until: number; wake: () => void };

/** Lets several sleep until the first of them has to wake: then all wake. */
export class SharedPollTimer {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  readonly #sleepers = new Set<Sleeper>();
  #alarm: { at: number; abort: AbortController } | undefined;

  /** `onWake` is called before they wake. */
  constructor(clock: Clock, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** Resolves after `ms` milliseconds at the latest, and as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = deferred();
    const end = () => {
      signal.removeEventListener("abort", end);
      this.#sleepers.delete(sleeper);
      this.#setAlarm();
      resolve();
    };
    const sleeper: Sleeper = { until: this.#clock.elapsed() + ms, wake: end };
    signal.addEventListener("abort", end, { once: true });
    this.#sleepers.add(sleeper);
    this.#setAlarm();
    return promise;
  }

  /** For the first that has to wake; no timer is left when none sleeps. */
  #setAlarm(): void {
    const at = Math.min(...[...this.#sleepers].map(({ until }) => until));
    if (this.#alarm?.at === at) return;
    this.#alarm?.abort.abort();
    this.#alarm = undefined;
    if (this.#sleepers.size === 0) return;
    const abort = new AbortController();
    this.#alarm = { at, abort };
    void this.#clock.sleep(Math.max(0, at - this.#clock.elapsed()), abort.signal).then(() => {
      if (!abort.signal.aborted) this.#wakeAll();
    });
  }

  #wakeAll(): void {
    this.#alarm = undefined;
    this.#onWake();
    const woken = [...this.#sleepers];
    this.#sleepers.clear();
    for (const { wake } of woken) wake();
  }
}
