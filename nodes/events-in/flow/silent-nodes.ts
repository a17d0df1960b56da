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
