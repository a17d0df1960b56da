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
  /** Called once, when what its nodes report counts for nothing any more. It ends later. */
  onInterrupt?: () => void;
  /** Called when no node has it any more but those that only wait. Not at the end. */
  onRest?: () => void;
  /** Called before a node gets something of it, which waits for the promise. */
  beforeNode?: () => Promise<void> | undefined;
};

/** What a flow does with one message and with all that comes of it, as far as its nodes report. */
export class Work {
  readonly id: number;
  #listener: WorkListener;
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
  #isInterrupted = false;
  #isForgotten = false;
  /** With these a node has made it into one message, which belongs to them: it is over only when they are. */
  readonly #wholes = new Set<Work>();
  /** The other way round. */
  readonly #parts = new Set<Work>();

  constructor(id: number, listener: WorkListener) {
    this.id = id;
    this.#listener = listener;
  }

  /** Whether no node has it but those that only wait, as far as they report. */
  get isResting(): boolean {
    return this.#withWholes().every((one) => one.#isResting);
  }

  /** Whether what its nodes report counts for nothing any more. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
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
    if (this.#parts.size === 0) return this.#listener.beforeNode?.();
    const counted = this.#withParts().flatMap((one) => one.#listener.beforeNode?.() ?? []);
    return counted.length > 0 ? Promise.all(counted).then(() => {}) : undefined;
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
    for (const one of this.#withParts()) one.#listener.onReport();
    this.endIfDone();
  }

  /** A node has made one message of this and others. Two may become part of each other, in two such nodes. */
  becomesPartOf(whole: Work): void {
    if (whole === this || whole.#isOver || this.#isOver) return;
    this.#wholes.add(whole);
    whole.#parts.add(this);
    if (whole.#isInterrupted) this.interrupt();
  }

  /** A node that has it is stopped, or is not there to get it. */
  interrupt(): void {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.#listener.onInterrupt?.();
    for (const part of this.#parts) part.interrupt();
  }

  /** It is not waited for any longer. `onGone` is called when that goes for all that is part of it, or it is over. */
  forget(onGone: () => void): void {
    this.#listener = { onReport: () => {}, onEnd: onGone, onInterrupt: onGone };
    this.#isForgotten = true;
    if (this.#isOver) onGone();
    else this.#endIfForgotten();
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
      if (this.#isBusy) return;
      this.#isResting = !this.#mayActLater;
      const all = new Set<Work>([this]);
      for (const one of all) {
        const parts = [...one.#parts];
        // Its parts wait for all that it waits for.
        if (one.#endOrRest()) for (const part of parts) all.add(part);
      }
    });
  }

  /** Ends it. */
  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const part of this.#parts) if (outcome instanceof Error) part.#failure ??= outcome;
    this.#leaveOthers();
    this.#listener.onEnd(outcome);
  }

  get #isBusy(): boolean {
    return this.#open > this.#waiting || this.#isInterrupted;
  }

  /** Returns false where something of it, or of what it is part of, is at work. */
  #endOrRest(): boolean {
    const all: Work[] = [];
    for (const one of reachedFrom(this, (work) => work.#wholes)) {
      if (one.#isBusy) return false;
      all.push(one);
    }
    const isDone = all.every((one) => one.#open === 0);
    const [failure] = all.flatMap((one) => one.#failure ?? []);
    if (isDone && !this.#isOver) this.end(failure ?? "completed");
    else if (all.every((one) => one.#isResting)) this.#listener.onRest?.();
    return true;
  }

  #withWholes(): Work[] {
    return this.#wholes.size === 0 ? [this] : [...reachedFrom(this, (one) => one.#wholes)];
  }

  #withParts(): Work[] {
    return this.#parts.size === 0 ? [this] : [...reachedFrom(this, (one) => one.#parts)];
  }

  #leaveOthers(): void {
    const wholes = [...this.#wholes];
    for (const whole of wholes) whole.#parts.delete(this);
    for (const part of this.#parts) part.#wholes.delete(this);
    this.#wholes.clear();
    this.#parts.clear();
    for (const whole of wholes) whole.#endIfForgotten();
  }

  #endIfForgotten(): void {
    if (this.#withParts().every((one) => one.#isForgotten)) this.end("completed");
  }

  #at(path: NodePath): Place {
    const node = path.at(-1) ?? "";
    const place = this.#places.get(node) ?? { path, sent: 0, received: 0 };
    this.#places.set(node, place);
    return place;
  }
}

/** How many turns of the event loop a node has for its first message. */
const FIRST_TURNS = 2;

/**
 * Nodes that do not report what they complete. Such a node works on a message while it is called, or later from a queue
 * of its own, as a switch does: one message in each turn of the event loop. So its messages are taken for completed in
 * the order in which it got them, one in each turn.
 */
export class SilentNodes {
  /** By the node's id: what to call for each message. */
  readonly #queues = new Map<string, Array<() => void>>();

  received(node: string, complete: () => void): void {
    const queue = this.#queues.get(node);
    if (queue !== undefined) {
      queue.push(complete);
      return;
    }
    this.#queues.set(node, [complete]);
    this.#wait(node, FIRST_TURNS);
  }

  #wait(node: string, turns: number): void {
    setImmediate(() => {
      if (turns > 1) this.#wait(node, turns - 1);
      else this.#completeNext(node);
    });
  }

  #completeNext(node: string): void {
    const queue = this.#queues.get(node) ?? [];
    queue.shift()?.();
    if (queue.length === 0) this.#queues.delete(node);
    else this.#wait(node, 1);
  }
}

/** The nearest first. */
function* reachedFrom(work: Work, next: (work: Work) => Iterable<Work>): Iterable<Work> {
  const all = new Set([work]);
  // A set goes on with what is added meanwhile.
  for (const one of all) {
    yield one;
    for (const other of next(one)) all.add(other);
  }
}
