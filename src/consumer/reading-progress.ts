/**
 * Up to when a channel was read to its end, with everything that it had handed over and settled. A poll may be answered
 * by a call that was begun a little earlier, for another consumer: so what counts is when the poll before began.
 */
export class ReadingProgress {
  #lastBegunAt: number | undefined;
  #upTo: number | undefined;

  /** In Unix milliseconds; undefined until two polls were completed. */
  get upTo(): number | undefined {
    return this.#upTo;
  }

  /** Notes a poll without an error, which began at `begunAt`. */
  polled(begunAt: number, { behind, inFlight }: { behind: number | undefined; inFlight: number }): void {
    // A channel without events has no end to be behind.
    const isAtEnd = (behind ?? 0) === 0 && inFlight === 0;
    if (isAtEnd && this.#lastBegunAt !== undefined)
      this.#upTo = Math.max(this.#upTo ?? 0, Math.min(this.#lastBegunAt, begunAt));
    this.#lastBegunAt = begunAt;
  }
}
