import type { Node, NodeAPI } from "node-red";
import { isNotice, isRejected, isUndecoded } from "./event-message.ts";
import type { CrecMessage } from "./message.ts";

/** More reasons than these are a sender's play. */
const MOST = 10;

/** Counts the accepted events that cannot be decoded, which no condition and no alert counts. Each reason is logged once. */
export class UndecodedNote {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #key: string;
  readonly #told = new Set<string>();
  #count = 0;

  /** `key`: the sentence, in the catalog of the node. */
  constructor(RED: NodeAPI, node: Node, key: string) {
    this.#RED = RED;
    this.#node = node;
    this.#key = key;
  }

  get count(): number {
    return this.#count;
  }

  note({ payload, crec = {} }: CrecMessage): void {
    const { verification, offset = "" } = crec as { verification?: never; offset?: number };
    if (isRejected(verification) || isNotice(verification)) return;
    // Of an unknown type there is no reason: events in has a list of these.
    if (!isUndecoded(payload) || payload.reason === undefined) return;
    this.#count += 1;
    const { reason } = payload;
    if (this.#told.has(reason) || this.#told.size >= MOST) return;
    this.#told.add(reason);
    // As an error: a rehearsal has it among its outcomes. It belongs to no message that a catch node could take.
    this.#node.error(this.#RED._(this.#key, { offset, reason }));
  }
}
