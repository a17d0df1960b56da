/** How the flow's work on one message ended. `interrupted`: a deploy or a stop ended nodes that had it. */
export type Outcome = "completed" | "interrupted" | Error;

/** The ids of a node's tab, of the subflows around it, and its own. */
export type NodePath = readonly string[];

/** Where a message is: how many are on their way to a node, and how many it has not completed. */
type Place = { path: NodePath; sent: number; received: number };

export type WorkListener = {
  /** Called when a node has completed what it was given. */
  onReport: () => void;
  /** Called once; of several failures with the first. */
  onEnd: (outcome: Outcome) => void;
};

/** What a flow does with one message and with all that comes of it, as far as its nodes report. */
export class Work {
  readonly id: number;
  readonly #listener: WorkListener;
  /** By the id of the node. */
  readonly #places = new Map<string, Place>();
  #open = 0;
  /** By `performance.now()`: when it was sent, or a node completed something of it. */
  #activeAt = performance.now();
  #failure: Error | undefined;
  #isOver = false;
  /** Whether what its nodes report counts for nothing any more. */
  isInterrupted = false;

  constructor(id: number, listener: WorkListener) {
    this.id = id;
    this.#listener = listener;
  }

  sentTo(path: NodePath): void {
    this.#open += 1;
    this.#at(path).sent += 1;
  }

  /** Not everything that is received was sent: link nodes and Catch hand messages on by themselves. */
  receivedBy(path: NodePath): void {
    const place = this.#at(path);
    if (place.sent > 0) place.sent -= 1;
    else this.#open += 1;
    place.received += 1;
  }

  completedBy(node: string, failure?: Error): void {
    const place = this.#places.get(node);
    if (place === undefined || place.received === 0) return;
    place.received -= 1;
    if (place.received + place.sent === 0) this.#places.delete(node);
    this.#open -= 1;
    this.#failure ??= failure;
    this.#activeAt = performance.now();
    this.#listener.onReport();
    this.endIfDone();
  }

  /** Whether one of these nodes has it, or is about to get it. */
  isAt(isMeant: (path: NodePath) => boolean): boolean {
    return [...this.#places.values()].some(({ path }) => isMeant(path));
  }

  /** The ids of the nodes that have it, if none of them has reported anything for so long. */
  silentNodes(ms: number): string[] {
    return performance.now() - this.#activeAt < ms ? [] : [...this.#places.keys()];
  }

  /** Ends it when nothing is open, also when nothing was sent at all. */
  endIfDone(): void {
    // A node that completes hands on in the same turn, to Catch or Complete.
    queueMicrotask(() => {
      if (this.#open === 0 && !this.isInterrupted) this.end(this.#failure ?? "completed");
    });
  }

  /** Ends it. */
  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(outcome);
  }

  #at(path: NodePath): Place {
    const node = path.at(-1) ?? "";
    const place = this.#places.get(node) ?? { path, sent: 0, received: 0 };
    this.#places.set(node, place);
    return place;
  }
}
