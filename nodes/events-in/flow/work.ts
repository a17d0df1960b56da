/** What a flow does with one message and with all that comes of it, as far as its nodes report. */
export class Work {
  readonly id: number;
  readonly #ended: (failure: Error | undefined) => void;
  /** By node: how many messages are on their way to it, and how many it has not completed. */
  readonly #sent = new Map<string, number>();
  readonly #received = new Map<string, number>();
  #open = 0;
  #failure: Error | undefined;
  #isOver = false;

  /** `ended` is called once, with the first failure if there was one. */
  constructor(id: number, ended: (failure: Error | undefined) => void) {
    this.id = id;
    this.#ended = ended;
  }

  sentTo(node: string): void {
    this.#open += 1;
    add(this.#sent, node, 1);
  }

  /** Not everything that is received was sent: link nodes and Catch hand messages on by themselves. */
  receivedBy(node: string): void {
    if (this.#sent.get(node)) add(this.#sent, node, -1);
    else this.#open += 1;
    add(this.#received, node, 1);
  }

  completedBy(node: string, error?: unknown): void {
    if (!this.#received.get(node)) return;
    add(this.#received, node, -1);
    this.#open -= 1;
    if (error) this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.endIfDone();
  }

  /** It has failed, whatever its nodes report later. */
  fail(failure: Error): void {
    this.#failure ??= failure;
  }

  /** Ends it when nothing is open, also when nothing was sent at all. */
  endIfDone(): void {
    // A node that completes hands on in the same turn, to Catch or Complete.
    queueMicrotask(() => {
      if (this.#open > 0 || this.#isOver) return;
      this.#isOver = true;
      this.#ended(this.#failure);
    });
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
