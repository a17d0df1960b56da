import type { CrecMessage } from "../lib/runtime/message.ts";

/**
 * Sends messages that know their place among the others, as the split node does. Only the last one knows how many
 * there are, so each is held back until the next is there, or it is known that there is none.
 */
export class Sequence {
  readonly #id: string;
  readonly #msg: CrecMessage;
  readonly #send: (msg: CrecMessage) => void;
  #held: CrecMessage | undefined;
  #count = 0;

  /** `msg` is what asked for them: its own place in another sequence is kept, so that join finds back to it. */
  constructor(id: string, msg: CrecMessage, send: (msg: CrecMessage) => void) {
    this.#id = id;
    this.#msg = msg;
    this.#send = send;
  }

  get count(): number {
    return this.#count;
  }

  push(message: CrecMessage): void {
    this.flush();
    this.#held = { ...message, parts: this.#parts() };
    this.#count += 1;
  }

  /** Sends what is held back without saying that it is the last: for a search that broke off. */
  flush(): void {
    if (this.#held) this.#send(this.#held);
    this.#held = undefined;
  }

  end(): void {
    if (this.#held) this.#held.parts = { ...(this.#held.parts as object), count: this.#count };
    this.flush();
  }

  #parts(): Record<string, unknown> {
    const { parts } = this.#msg;
    return { id: this.#id, type: "array", index: this.#count, ...(parts ? { parts } : {}) };
  }
}
