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
