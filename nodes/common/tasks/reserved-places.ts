import { arrivalOf, type TaskStore } from "./task-store.ts";

let newest = 0;

/** A number for a message that arrives now: higher than those of all before it. */
export function nextArrival(): number {
  newest = Math.max(newest + 1, Date.now() * 1000);
  return newest;
}

/** Notes the number of a message from before a restart: the clock may have been set back since. */
export function noteArrival(number: number): void {
  newest = Math.max(newest, number);
}

/** A place in the line of a wallet. */
export type Reserved = {
  leave(): void;
  /** Called where messages are still to come: other nodes may name the same wallet in another way. */
  expects?(): void;
};

/**
 * Takes the place of a message that is kept, by its number and what it waits for. Without that, one before all others: what
 * is kept is not known yet. Undefined where the message goes in no line.
 */
export type Reserve = (arrivedAt: number, signal: AbortSignal, about?: unknown) => Reserved | undefined;

/**
 * The places of the messages that a node has kept, from its start until they enter it again: they are given to it a few at
 * a time, and a new message may not pass those that are still to come.
 */
export class ReservedPlaces {
  readonly #reserve: Reserve;
  readonly #store: TaskStore;
  readonly #signal: AbortSignal;
  /** By file. */
  readonly #places = new Map<string, Reserved>();
  /** Before all others, until what is kept has its places. */
  readonly #first: Reserved | undefined;
  /** The processes whose messages have no places yet. */
  readonly #open = new Set<string>();

  constructor(reserve: Reserve, store: TaskStore, signal: AbortSignal) {
    this.#reserve = (...kept) => {
      try {
        return reserve(...kept);
      } catch {
        // What is wrong with the form is reported with the message.
        return undefined;
      }
    };
    this.#store = store;
    this.#signal = signal;
    this.#first = this.#reserve(0, signal);
  }

  /** Nothing is sent until the messages of these processes have their places, or are none of this one. */
  expect(owners: Iterable<string>): void {
    for (const owner of owners) this.#open.add(owner);
    if (this.#open.size > 0) this.#first?.expects?.();
    this.#goOn();
  }

  /** Gives the files in the order in which they should be resumed: those with a place come first. */
  async reserve(names: readonly string[]): Promise<string[]> {
    for (const name of names) {
      const { record } = await this.#store.read(name);
      if (this.#signal.aborted) break;
      if (record === undefined || record.error !== undefined) continue;
      const arrivedAt = arrivalOf(name);
      noteArrival(arrivedAt);
      const place = this.#reserve(arrivedAt, this.#signal, record.about);
      if (place) this.#places.set(name, place);
    }
    const hasPlace = (name: string) => this.#places.has(name);
    return [...names.filter(hasPlace), ...names.filter((name) => !hasPlace(name))];
  }

  /** No message of this process is expected any more. */
  settle(owner: string): void {
    this.#open.delete(owner);
    this.#goOn();
  }

  /** The message has entered, or does not come again. */
  leave(name: string): void {
    this.#places.get(name)?.leave();
    this.#places.delete(name);
  }

  #goOn(): void {
    if (this.#open.size === 0) this.#first?.leave();
  }
}
