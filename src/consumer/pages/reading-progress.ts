import type { ClockReading } from "../../timing/index.ts";

/**
 * The time up to which a channel was read to its end, with all of its events delivered and settled. A poll may share the
 * answer to a slightly earlier call of another consumer, so the start of the poll before counts.
 */
export class ReadingProgress {
  #lastBegunAt: ClockReading | undefined;
  #upTo: ClockReading | undefined;
  #deliveredUpTo: ClockReading | undefined;
  #lastLookAt: ClockReading | undefined;

  /** Undefined until two polls were completed. */
  get upTo(): ClockReading | undefined {
    return this.#upTo;
  }

  /** The same, where events in flight need not be settled. */
  get deliveredUpTo(): ClockReading | undefined {
    return this.#deliveredUpTo;
  }

  /** Notes a poll without an error, which began at `begunAt`. `isDelivered`: all that is known was handed over. */
  polled(
    begunAt: ClockReading,
    {
      behind,
      inFlight,
      isDelivered = false,
    }: { behind: number | undefined; inFlight: number; isDelivered?: boolean },
  ): void {
    // A channel without events has no end to be behind.
    const isAtEnd = (behind ?? 0) === 0 && inFlight === 0;
    if (this.#lastBegunAt !== undefined) {
      if (isAtEnd) this.#upTo = this.#lastBegunAt;
      if (isAtEnd || isDelivered) this.#deliveredUpTo = this.#lastBegunAt;
    }
    this.#lastBegunAt = begunAt;
  }

  /** Notes that the end of the channel was looked at, between two polls. */
  looked(begunAt: ClockReading, isDelivered: boolean): void {
    if (isDelivered && this.#lastLookAt !== undefined) this.#deliveredUpTo = this.#lastLookAt;
    this.#lastLookAt = begunAt;
  }
}
