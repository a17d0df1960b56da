/** Nodes that say how they are when they are asked. */
export class Gauges<T> {
  readonly #sources = new Set<() => T>();

  /** Returns the function that removes the node. */
  add(report: () => T): () => void {
    this.#sources.add(report);
    return () => {
      this.#sources.delete(report);
    };
  }

  reports(): T[] {
    return [...this.#sources].map((report) => report());
  }
}
