import type { PastEvent } from "../shared/job.ts";

/** Events that the parent has sent. It is asked for more before they run out. */
export class EventQueue {
  #batches: Array<readonly PastEvent[]> = [];
  #isComplete = false;
  #wake: (() => void) | undefined;
  readonly #askForMore: () => void;

  constructor(askForMore: () => void) {
    this.#askForMore = askForMore;
  }

  add(events: readonly PastEvent[], isLast: boolean): void {
    if (events.length > 0) this.#batches.push(events);
    if (isLast) this.#isComplete = true;
    this.#wake?.();
  }

  /** Ends what waits for more. */
  end(): void {
    this.#batches = [];
    this.add([], true);
  }

  /** The next batch; undefined after the last. The following one is under way meanwhile. */
  async next(): Promise<readonly PastEvent[] | undefined> {
    while (this.#batches.length === 0) {
      if (this.#isComplete) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const batch = this.#batches.shift();
    if (!this.#isComplete) this.#askForMore();
    return batch;
  }
}
