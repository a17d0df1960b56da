import type { NodeContext } from "../context.ts";
import { isNotice, isRejected, isUndecoded } from "./event-message.ts";
import type { CrecMessage } from "./message.ts";

/** More reasons than these are a sender's play. */
const MOST = 10;

/** Counts the accepted events that cannot be decoded, which no condition and no alert counts. Each reason is logged once. */
export class UndecodedNote {
  readonly #context: Pick<NodeContext, "node" | "t">;
  readonly #key: string;
  readonly #told = new Set<string>();
  #count = 0;

  /** `key`: the sentence, in the catalog of the node. */
  constructor(context: Pick<NodeContext, "node" | "t">, key: string) {
    this.#context = context;
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
    const { node, t } = this.#context;
    node.error(t(this.#key, { offset, reason }));
  }
}
