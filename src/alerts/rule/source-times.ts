/** With more sources, nothing is known: what each of them reports must be compared. */
const MOST_SOURCES = 100;

/**
 * How far the sources of logs have come, by the times of their blocks. What a source reports comes in order, except
 * within the slack: so without `readUpTo`, such as during the catch-up after an outage, time passes too.
 */
export class SourceTimes {
  readonly #newest = new Map<string, number>();
  #hasMore = false;

  note(source: string, at: number): void {
    if (this.#newest.size >= MOST_SOURCES && !this.#newest.has(source)) this.#hasMore = true;
    else this.#newest.set(source, Math.max(at, this.#newest.get(source) ?? 0));
  }

  /** All logs up to this time were given; undefined where that is not known. */
  upTo(slackMs: number): number | undefined {
    if (this.#hasMore || this.#newest.size === 0) return undefined;
    return Math.min(...this.#newest.values()) - slackMs;
  }
}
