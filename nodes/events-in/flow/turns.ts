import type { Work } from "./work.ts";

/** What a node did in one turn of the event loop, on behalf of one message. */
type Turn = {
  node: string;
  behalf: number | undefined;
  sent: Set<Work>;
  /** Without those of which it has sent something. */
  completed: Set<Work>;
};

/**
 * Finds out which messages a node has made into one. Such a node, as join is, completes them in the turn in which it
 * sends the one, which belongs to one of them only. Those of which it sends a message of their own go on by themselves.
 */
export class Turns {
  /** Of this turn: a node may have several, where promises that it waited for are settled together. */
  #turns: Turn[] = [];

  sent(node: string, behalf: number | undefined, work: Work): void {
    const { sent, completed } = this.#turn(node, behalf);
    sent.add(work);
    for (const part of completed) part.becomesPartOf(work);
  }

  completed(node: string, behalf: number | undefined, work: Work): void {
    const { sent, completed } = this.#turn(node, behalf);
    if (sent.has(work)) return;
    completed.add(work);
    for (const whole of sent) work.becomesPartOf(whole);
  }

  #turn(node: string, behalf: number | undefined): Turn {
    const known = this.#turns.find((turn) => turn.node === node && turn.behalf === behalf);
    if (known !== undefined) return known;
    if (this.#turns.length === 0)
      queueMicrotask(() => {
        this.#turns = [];
      });
    const turn = { node, behalf, sent: new Set<Work>(), completed: new Set<Work>() };
    this.#turns.push(turn);
    return turn;
  }
}
