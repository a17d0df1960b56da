import type { Work } from "./work.ts";

/** What a node did in one turn of the event loop, on behalf of one message. */
type Turn = {
  node: string;
  behalf: number | undefined;
  sent: Set<Work>;
  /** For each message that it sent of nobody: has it belong to this one. */
  strays: Array<(work: Work) => void>;
  completed: Set<Work>;
};

/**
 * Finds out which messages a node has made into one. Such a node, as join is, completes them in the turn in which it
 * sends the one, which belongs to one of them only. Those of which it sends a message of their own go on by themselves,
 * and so does a message that only had the node send what it held of others, as one that flushes a delay does.
 */
export class Turns {
  /** Of this turn: a node may have several, where promises that it waited for are settled together. */
  #turns: Turn[] = [];
  /** What each node was given last. */
  readonly #received = new Map<string, number>();

  received(node: string, work: Work): void {
    this.#received.set(node, work.id);
  }

  sent(node: string, behalf: number | undefined, work: Work): void {
    this.#turn(node, behalf).sent.add(work);
  }

  /** `adopt` is called with what the message belongs to, if the node turns out to have made it of that. */
  sentStray(node: string, behalf: number | undefined, adopt: (work: Work) => void): void {
    this.#turn(node, behalf).strays.push(adopt);
  }

  completed(node: string, behalf: number | undefined, work: Work): void {
    this.#turn(node, behalf).completed.add(work);
  }

  clear(): void {
    this.#received.clear();
  }

  #turn(node: string, behalf: number | undefined): Turn {
    const known = this.#turns.find((turn) => turn.node === node && turn.behalf === behalf);
    if (known !== undefined) return known;
    // Before what was completed can end, which is in a microtask that is queued later.
    if (this.#turns.length === 0) queueMicrotask(() => this.#end());
    const turn: Turn = { node, behalf, sent: new Set(), strays: [], completed: new Set() };
    this.#turns.push(turn);
    return turn;
  }

  #end(): void {
    const turns = this.#turns;
    this.#turns = [];
    for (const { node, behalf, sent, strays, completed } of turns) {
      const parts = [...completed].filter((work) => !sent.has(work));
      const isTrigger = ({ id }: Work) => id === behalf && id === this.#received.get(node);
      const last = parts.at(-1);
      if (last === undefined || parts.every(isTrigger)) continue;
      for (const adopt of strays) adopt(last);
      if (strays.length > 0) sent.add(last);
      for (const part of parts) for (const whole of sent) part.becomesPartOf(whole);
    }
  }
}
