/** Clocks of two machines may differ by so much, and an answer takes time. */
const TOLERANCE_S = 60;

/**
 * What is wrong with the clock of this machine, by the time in the head of an answer that has just arrived; empty where it
 * agrees, or the answer has no time. A refusal may be about a time, such as a deadline that passed on its way.
 */
export function clockWords(date: string | undefined, now: number = Date.now()): string {
  const differs = clockDifference(date, TOLERANCE_S, now);
  if (differs === undefined) return "";
  return ` The clock of this machine is ${differs.seconds} s ${differs.how} that of the service: check both.`;
}

/** By how much more than the tolerance the clock of this machine differs from the one that wrote the time of an answer. */
export function clockDifference(
  date: string | undefined,
  toleranceS: number,
  now: number = Date.now(),
): { seconds: number; how: "behind" | "ahead of" } | undefined {
  const behindS = Math.round((Date.parse(date ?? "") - now) / 1000);
  const seconds = Math.abs(behindS);
  return seconds > toleranceS ? { seconds, how: behindS > 0 ? "behind" : "ahead of" } : undefined;
}

/** The time of a service, by the head of its last answer: it goes on with the time since, whatever this machine's clock says. */
export class ServiceClock {
  readonly #elapsed: () => number;
  /** Unix time at an elapsed time of 0, both in milliseconds. */
  #startedAt: number | undefined;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** `date` is that of an answer which has just arrived. Without one that can be read, the last one stays. */
  note(date: string | string[] | undefined): void {
    const now = Date.parse(String(date ?? ""));
    if (!Number.isNaN(now)) this.#startedAt = now - this.#elapsed();
  }

  /** Unix time in milliseconds; undefined before the first answer. */
  now(): number | undefined {
    return this.#startedAt === undefined ? undefined : this.#startedAt + this.#elapsed();
  }
}
