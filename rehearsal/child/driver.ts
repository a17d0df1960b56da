import type { PastEvent } from "../shared/job.ts";
import type { SimulatedClock } from "./clock.ts";

/** What a rehearsal moves. */
type Driven = {
  clock: SimulatedClock;
  events: EventQueue;
  /** Hands an event to the nodes. */
  publish(event: PastEvent): void;
  /** Resolves when all that was begun has ended. */
  settle(): Promise<void>;
  /** Called after each event and each timer. */
  moved(): void;
  isCancelled(): boolean;
};

/** Runs all events and timers in the order of their times, until `to`. Events and timers take no time themselves. */
export async function drive(driven: Driven, to: number): Promise<void> {
  await driven.settle();
  await runEvents(driven, to);
  await runTimers(driven, to);
  if (!driven.isCancelled()) driven.clock.moveTo(to);
}

async function runEvents(driven: Driven, to: number): Promise<void> {
  const { clock, events } = driven;
  for (let batch = await events.next(); batch !== undefined; batch = await events.next()) {
    for (const event of batch) {
      if (driven.isCancelled() || event.at > to) return;
      await runTimers(driven, event.at);
      // Timers are left then, and moving the time would run them all at once.
      if (driven.isCancelled()) return;
      clock.moveTo(event.at);
      driven.publish(event);
      driven.moved();
      await driven.settle();
    }
  }
}

/** Timers of the same time as an event run before it. */
async function runTimers(driven: Driven, until: number): Promise<void> {
  const { clock } = driven;
  while (!driven.isCancelled()) {
    const due = clock.nextTimer();
    if (due === undefined || due > until) return;
    clock.runNextTimer();
    driven.moved();
    await driven.settle();
  }
}

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
