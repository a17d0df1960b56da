/**
 * Work that our nodes have begun and not ended: an event that is being checked, a message in a node. Most of it ends
 * within a few turns of the event loop; some waits for a simulated time, and only that time can end it.
 */
export class Pending {
  readonly #works = new Set<object>();

  /** Gives the function that says that the work has ended. */
  begin(): () => void {
    const work = {};
    this.#works.add(work);
    return () => void this.#works.delete(work);
  }

  get size(): number {
    return this.#works.size;
  }

  /** What has not ended now waits for a simulated time: it is not waited for any more. */
  leave(): void {
    this.#works.clear();
  }
}
