import { deferred } from "../deferred.ts";
import type { Clock } from "../timing/index.ts";
import type { CallBudget } from "./call-budget.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Lane } from "./lane.ts";

/** `act`: may change something. `read`: any other. A lane is for the polls of a channel. */
export type Rank = "act" | "read" | Lane;

/** What waits is granted one of so many requests at least, however many of a higher rank wait. */
const TURN_OF_LOWER_RANKS = 8;

type Waiting = { enter: () => void };

/**
 * Runs a limited number of calls at the same time, and starts no more than the budget allows. The others queue: first
 * those that act, then those that read, then polls, which take turns by channel. While others of them wait, reads and
 * polls get at least one of eight turns each. Any can leave at any time.
 */
export class CallQueue {
  readonly #budget: CallBudget;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #ranks = { act: new Line(), read: new Line(), poll: new FairQueue<Waiting>() };
  /** How many turns in a row others have got while one of these waited. */
  readonly #passedOver = { read: 0, poll: 0 };
  #free: number;
  #alarm: AbortController | undefined;

  constructor(limit: number, budget: CallBudget, clock: Pick<Clock, "sleep">) {
    this.#free = limit;
    this.#budget = budget;
    this.#clock = clock;
  }

  /** Whether calls wait because the budget is used up, and not because too many are under way. */
  get lacksBudget(): boolean {
    return this.#free > 0 && this.#isAnyWaiting;
  }

  /** Runs `work` when its turn comes. Rejects with the signal's reason when it fires in the queue. */
  async run<T>(rank: Rank, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(rank, signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#free += 1;
      this.#grant();
    }
  }

  #enter(rank: Rank, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = deferred();
    const leave = () => {
      forget();
      reject(signal.reason);
      if (!this.#isAnyWaiting) this.#alarm?.abort();
    };
    const enter = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    signal.addEventListener("abort", leave, { once: true });
    const waiting = { enter };
    const forget =
      typeof rank === "string" ? this.#ranks[rank].add(waiting) : this.#ranks.poll.add(rank, waiting);
    this.#grant();
    return promise;
  }

  get #isAnyWaiting(): boolean {
    const { act, read, poll } = this.#ranks;
    return !(act.isEmpty && read.isEmpty && poll.isEmpty);
  }

  /** Starts what may be started now. */
  #grant(): void {
    while (this.#free > 0 && this.#isAnyWaiting) {
      const { waitMs } = this.#budget;
      if (waitMs > 0) {
        this.#wait(waitMs);
        return;
      }
      const next = this.#take();
      if (next === undefined) return;
      this.#budget.spend();
      this.#free -= 1;
      next.enter();
    }
  }

  #wait(ms: number): void {
    if (this.#alarm !== undefined && !this.#alarm.signal.aborted) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    void this.#clock.sleep(Math.ceil(ms), alarm.signal).then(() => {
      if (this.#alarm === alarm) this.#alarm = undefined;
      this.#grant();
    });
  }

  #take(): Waiting | undefined {
    const ranks = this.#ranks;
    const isDue = (rank: "read" | "poll") =>
      !ranks[rank].isEmpty && this.#passedOver[rank] >= TURN_OF_LOWER_RANKS - 1;
    const order = (["act", "read", "poll"] as const).filter((rank) => !ranks[rank].isEmpty);
    const rank = isDue("poll") ? "poll" : isDue("read") ? "read" : order[0];
    if (rank === undefined) return undefined;
    for (const other of ["read", "poll"] as const)
      this.#passedOver[other] = other === rank || ranks[other].isEmpty ? 0 : this.#passedOver[other] + 1;
    return ranks[rank].take();
  }
}

/** First come, first served. */
class Line {
  readonly #waiting = new Set<Waiting>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Returns what removes it. */
  add(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }

  take(): Waiting | undefined {
    const [first] = this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }
}
