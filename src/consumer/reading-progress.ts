import type { Moment } from "../timing/index.ts";

/**
 * The time up to which a channel was read to its end, with all of its events delivered and settled. A poll may share the
 * answer to a slightly earlier call of another consumer, so the start of the poll before counts.
 */
export class ReadingProgress {
  #lastBegunAt: Moment | undefined;
  #upTo: Moment | undefined;

  /** Undefined until two polls were completed. */
  get upTo(): Moment | undefined {
    return this.#upTo;
  }

  /** Notes a poll without an error, which began at `begunAt`. */
  polled(begunAt: Moment, { behind, inFlight }: { behind: number | undefined; inFlight: number }): void {
    // A channel without events has no end to be behind.
    const isAtEnd = (behind ?? 0) === 0 && inFlight === 0;
    if (isAtEnd && this.#lastBegunAt !== undefined) this.#upTo = this.#lastBegunAt;
    this.#lastBegunAt = begunAt;
  }
}
