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
  /** Called when no node has it any more but those that only wait. Not at the end. */
  onRest?: () => void;
  /** Called before a node gets something of it, which waits for the promise. */
  beforeNode?: () => Promise<void> | undefined;
};

/** What a flow does with one message and with all that comes of it, as far as its nodes report. */
export class Work {
  readonly id: number;
  readonly #listener: WorkListener;
  /** By the id of the node. */
  readonly #places = new Map<string, Place>();
  #open = 0;
  /** Of the open ones, those in nodes that only wait. */
  #waiting = 0;
  #mayActLater = false;
  #isResting = false;
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

  /** Whether no node has it but those that only wait, as far as they report. */
  get isResting(): boolean {
    return this.#isResting;
  }

  sentTo(path: NodePath): void {
    this.#open += 1;
    this.#isResting = false;
    this.#at(path).sent += 1;
  }

  /** Not everything that is received was sent: link nodes and Catch hand messages on by themselves. */
  receivedBy(path: NodePath): Promise<void> | undefined {
    const place = this.#at(path);
    if (place.sent > 0) place.sent -= 1;
    else this.#open += 1;
    place.received += 1;
    this.#isResting = false;
    return this.#listener.beforeNode?.();
  }

  /** From now on, a node only waits with what it was given. */
  waits(): void {
    this.#waiting += 1;
    this.endIfDone();
  }

  /** A node goes on with what it has waited with. */
  waitsNoLonger(): void {
    this.#waiting -= 1;
  }

  /** A node has reported too early: it still has timers. */
  mayActLater(): void {
    this.#mayActLater = true;
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

  /** Ends it when nothing is open, also when nothing was sent at all; has it rest when what is open only waits. */
  endIfDone(): void {
    // A node that completes hands on in the same turn, to Catch or Complete.
    queueMicrotask(() => {
      if (this.#open > this.#waiting || this.isInterrupted) return;
      this.#isResting = !this.#mayActLater;
      if (this.#open === 0 && !this.#isOver) this.end(this.#failure ?? "completed");
      else if (this.#isResting) this.#listener.onRest?.();
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
