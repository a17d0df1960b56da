import type { Lane } from "./lane.ts";

/**
 * What waits in lanes. Time is counted in rounds, in which each lane gets as many turns as its weight says. Next is the
 * lane that is due first: after a turn, it is due again after a round, or the part of one that its weight makes. Of n
 * lanes each gets its turn after at most 5n others.
 */
export class FairQueue<T> {
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
