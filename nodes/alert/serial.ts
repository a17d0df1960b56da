/** Does one thing after the other, in the order in which they were asked for. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
