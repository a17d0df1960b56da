import { deferred } from "../deferred.ts";
import type { Clock } from "../timing/index.ts";
import type { CallBudget } from "./call-budget.ts";

const MOST_WEIGHT = 4;

/**
 * The polls of one channel, which take turns with those of other channels. A channel with news gets up to four times as
 * many turns as one without, and soon fewer again.
 */
export class Lane {
  #weight = 1;
  #end: number | undefined;

  /** How many turns it gets for each turn of a quiet channel. */
  get weight(): number {
    return this.#weight;
  }

  /** Notes the highest offset of a page; undefined when the page was empty. */
  noteEnd(end: number | undefined): void {
    const hasNews = this.#end !== undefined && (end ?? -1) > this.#end;
    this.#weight = hasNews ? Math.min(MOST_WEIGHT, this.#weight * 2) : Math.max(1, this.#weight / 2);
    this.#end = Math.max(this.#end ?? -1, end ?? -1);
  }
}

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

/**
 * What waits in lanes. Time is counted in rounds, in which each lane gets as many turns as its weight says. Next is the
 * lane that is due first: after a turn, it is due again after a round, or the part of one that its weight makes. Of n
 * lanes each gets its turn after at most 5n others.
 */
class FairQueue<T> {
  /** Of lanes with something waiting. In a lane: first come, first served. */
  readonly #waiting = new Map<Lane, Set<T>>();
  /** In rounds. A new lane is due immediately. */
  readonly #due = new WeakMap<Lane, number>();
  #rounds = 0;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Returns what removes it. */
  add(lane: Lane, one: T): () => void {
    const line = this.#waiting.get(lane) ?? new Set();
    if (!this.#due.has(lane)) this.#due.set(lane, this.#rounds);
    line.add(one);
    this.#waiting.set(lane, line);
    return () => this.#remove(lane, one);
  }

  /** Takes the next. */
  take(): T | undefined {
    let next: Lane | undefined;
    let turnsOfRound = 0;
    for (const lane of this.#waiting.keys()) {
      turnsOfRound += lane.weight;
      if (next === undefined || this.#dueOf(lane) < this.#dueOf(next)) next = lane;
    }
    if (next === undefined) return undefined;
    this.#rounds += 1 / turnsOfRound;
    this.#due.set(next, this.#rounds + 1 / next.weight);
    const [first] = this.#waiting.get(next) ?? [];
    if (first !== undefined) this.#remove(next, first);
    return first;
  }

  #dueOf(lane: Lane): number {
    return this.#due.get(lane) ?? 0;
  }

  #remove(lane: Lane, one: T): void {
    const line = this.#waiting.get(lane);
    if (line?.delete(one) && line.size === 0) this.#waiting.delete(lane);
  }
}
