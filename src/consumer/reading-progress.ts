/**
 * The time up to which a channel was read to its end, with all of its events delivered and settled. A poll may share the
 * answer to a slightly earlier call of another consumer, so the start of the poll before counts.
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
