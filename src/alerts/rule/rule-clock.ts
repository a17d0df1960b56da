import type { Clock } from "../../timing/index.ts";
import { MOST_AHEAD_MS } from "./state.ts";

type Clocks = Pick<Clock, "now" | "elapsed">;

/** Clocks that disagree by more were not merely adjusted. */
const STEP_MS = 60_000;
/** A clock that says this long what no event has shown is believed. */
const BELIEVED_MS = 60 * 60_000;

/**
 * The present of a rule, which goes on evenly when the machine's clock is set ahead: nothing is over before its time. That
 * clock is believed again once it is back, once an event is dated by what it says, or after an hour. What it is set
 * back to is believed at once, except for what events were dated by.
 */
export class RuleClock {
  readonly #clocks: Clocks;
  /** How far the machine's clock is ahead of elapsed time; the same of the clock in use, and the most that this had. */
  #seen = 0;
  #used = 0;
  #most = 0;
  /** At least so far ahead is the truth: no block is dated before it is made. */
  #least = Number.NEGATIVE_INFINITY;
  #heldSince: number | undefined;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Call it first. The machine's clock is believed. */
  start(): void {
    this.#seen = this.#clocks.now() - this.#clocks.elapsed();
    this.#used = this.#seen;
    this.#most = this.#seen;
  }

  /** In Unix milliseconds. */
  get now(): number {
    return Math.round(this.#clocks.elapsed() + this.#used);
  }

  /** What a time by the machine's clock is by this one. */
  timeOf(at: number): number {
    return Math.round(at + this.#used - this.#seen);
  }

  /** What a time by this clock is by the machine's. */
  wallTimeOf(at: number): number {
    return Math.round(at + this.#seen - this.#used);
  }

  /** By how much the machine's clock is ahead and not believed; 0 where it is believed. */
  get heldMs(): number {
    return this.#heldSince === undefined ? 0 : this.#seen - this.#used;
  }

  /** An earlier run did not believe the machine's clock by so much. It is right again if `newest` was read before. */
  hold(byMs: number, newest: number): void {
    if (newest > this.now - byMs + MOST_AHEAD_MS) return;
    this.#used = this.#seen - byMs;
    this.#most = this.#used;
    this.#heldSince = this.#clocks.elapsed();
  }

  /** The time of a block was read. */
  note(at: number): void {
    const ahead = at - this.#clocks.elapsed();
    if (ahead <= Math.max(this.#seen, this.#most) + STEP_MS) this.#least = Math.max(this.#least, ahead);
  }

  /** Returns whether the clocks have come to disagree: one was set, or stood still while the machine slept. */
  look(): boolean {
    const elapsed = this.#clocks.elapsed();
    const seen = this.#clocks.now() - elapsed;
    const step = seen - this.#seen;
    const isStep = Math.abs(step) > STEP_MS;
    this.#seen = seen;
    if (!isStep) {
      this.#used += step;
      this.#most += step;
    }
    const before = this.#used;
    if (this.#isUnproven(elapsed)) {
      this.#heldSince ??= elapsed;
    } else {
      this.#heldSince = undefined;
      this.#used = Math.max(seen, Math.min(this.#least, this.#most));
      this.#most = Math.max(this.#most, this.#used);
    }
    return isStep || Math.abs(this.#used - before) > STEP_MS;
  }

  #isUnproven(elapsed: number): boolean {
    if (this.#seen <= this.#most + STEP_MS || this.#least > this.#used + STEP_MS) return false;
    return elapsed - (this.#heldSince ?? elapsed) < BELIEVED_MS;
  }
}
