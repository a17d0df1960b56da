/** What can be made to fail on purpose; the words of `POST /local/failures`. */
export const TRIALS = ["deployment", "watcher", "archive", "operation", "query"] as const;
export type TrialKind = (typeof TRIALS)[number];

/** Failures that a tester has asked for: `reason` is what the status event then says. */
export type Trial = { kind: TrialKind; times: number; reason: string };

/**
 * Failures that wait for the next deployment of a wallet, provisioning or archiving of a watcher, relay of an
 * operation, or dispatch of a query. Each lifecycle asks once for each that it begins.
 */
export class Trials {
  #waiting: Trial[] = [];

  add(trial: Trial): void {
    this.#waiting.push({ ...trial });
  }

  clear(): void {
    this.#waiting = [];
  }

  list(): Trial[] {
    return this.#waiting;
  }

  /** Why this one shall fail, counted; undefined when it shall go its way. */
  take(kind: TrialKind): string | undefined {
    const trial = this.#waiting.find((waiting) => waiting.kind === kind);
    if (trial === undefined) return undefined;
    trial.times -= 1;
    if (trial.times <= 0) this.#waiting = this.#waiting.filter((waiting) => waiting !== trial);
    return trial.reason;
  }
}
