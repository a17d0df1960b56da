/** Runs tasks one after the other, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when no task is running. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
