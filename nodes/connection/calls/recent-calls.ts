const SECONDS = 60;
const SECOND_MS = 1_000;

/** Counts calls of the last 60 seconds, in one number for each second. */
export class RecentCalls {
  readonly #counts = new Uint32Array(SECONDS);
  #second = 0;

  /** @param now monotonic, in milliseconds, as in `count` */
  add(now: number): void {
    this.#moveTo(now);
    const at = this.#second % SECONDS;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  count(now: number): number {
    this.#moveTo(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** A clock that was set back counts in the newest second. */
  #moveTo(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    const passed = Math.min(SECONDS, second - this.#second);
    for (let step = 1; step <= passed; step += 1) this.#counts[(second - passed + step) % SECONDS] = 0;
    this.#second = Math.max(this.#second, second);
  }
}
