import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../src/timing/index.ts";

/** A clock that only moves when everybody sleeps, or when it is set. */
export class SimulatedClock implements Clock {
  /** Monotonic time, which is also what the clock of the machine says until it is set. */
  #now = 1_800_000_000_000;
  #ahead = 0;
  /** Something that changes as long as there is work going on that does not sleep. */
  activity: () => number = () => 0;
  #sleepers = new Set<{ at: number; wake: () => void }>();

  now(): number {
    return this.#now + this.#ahead;
  }

  /** Sets the clock of the machine so much ahead, or back, as NTP does. A machine that slept finds the same. */
  set(byMs: number): void {
    this.#ahead += byMs;
  }

  elapsed(): number {
    return this.#now;
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", sleeper.wake, { once: true });
    });
  }

  /** Lets everything that can happen without time passing happen; then goes to the next waking, if there is one. */
  async step(): Promise<void> {
    await this.#settle();
    const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return;
    this.#now = Math.max(this.#now, next.at);
    next.wake();
  }

  /** Turns the clock until the condition holds; fails after `limitMs` of simulated time. */
  async until(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    const end = this.#now + limitMs;
    for (let idle = 0; !condition(); idle += 1) {
      if (this.#now > end || idle > 100_000) throw new Error("The simulation did not get there.");
      await this.step();
    }
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    void this.sleep(ms, new AbortController().signal);
    await this.until(() => this.#now >= end, ms + 1);
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let quiet = 0, before = this.activity(); quiet < 3; ) {
      await nextTurn();
      const now = this.activity();
      quiet = now === before ? quiet + 1 : 0;
      before = now;
    }
  }
}
