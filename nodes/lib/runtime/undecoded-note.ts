import type { Node, NodeAPI } from "node-red";
import { isNotice, isRejected, isUndecoded } from "./event-message.ts";
import type { CrecMessage } from "./message.ts";

/** More reasons than these are a sender's play. */
const MOST = 10;

/** Counts the accepted events that cannot be decoded, which no condition and no alert counts. Each reason is logged once. */
export class UndecodedNote {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED;
    this.#node = node;
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
    this.#node.error(this.#RED._("common.warning.undecoded", { offset, reason }));
  }
}
