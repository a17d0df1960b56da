/** What stands for all values beyond the limit. */
const OTHER = "other";

/** Longer ones are cut: a name of this length is enough to find a node. */
const MOST_CHARACTERS = 128;

/** The values that a label may take: those that are listed, or the first ones up to a number. */
type Bound = { known: readonly string[] } | { most: number };

/**
 * Keeps the number of time series bounded, whatever a flow or a service sends: Prometheus keeps each series in memory.
 * @example
 * const reasons = new BoundedValues({ known: ["no_proof"] });
 * reasons.of("no_proof"); // → "no_proof"
 * reasons.of("invented"); // → "other"
 */
export class BoundedValues {
  readonly #taken: Set<string>;
  readonly #most: number;

  constructor(bound: Bound) {
    this.#taken = new Set("known" in bound ? bound.known : []);
    this.#most = "known" in bound ? this.#taken.size : bound.most;
  }

  of(value: string): string {
    // The text formats are UTF-8, where half a surrogate pair cannot stand.
    const text = value.slice(0, MOST_CHARACTERS).toWellFormed();
    if (this.#taken.has(text)) return text;
    if (this.#taken.size >= this.#most) return OTHER;
    this.#taken.add(text);
    return text;
  }
}
