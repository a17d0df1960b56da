import { setNewest } from "../shared/collections.ts";

/** The newest reports by key, of which one that changes moves to the end. The oldest is forgotten beyond `most`. */
export class RingBuffer<T> {
  readonly #byKey = new Map<string, T>();
  readonly #keyOf: (report: T) => string;
  readonly #most: number;
  #revision = 0;

  constructor({ keyOf, most }: { keyOf: (report: T) => string; most: number }) {
    this.#keyOf = keyOf;
    this.#most = most;
  }

  /** Changes whenever a report does: a reader that has seen this one need not look again. */
  get revision(): number {
    return this.#revision;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  set(report: T): void {
    setNewest(this.#byKey, this.#keyOf(report), report, this.#most);
    this.#revision += 1;
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#revision += 1;
  }

  /** The oldest first. */
  all(): T[] {
    return [...this.#byKey.values()];
  }
}
