import type { CrecMessage } from "../common/messages/message.ts";

/**
 * Sends messages with `parts`, as the split node does. The last one has their count, so each message is held until the
 * next one arrives or the sequence ends.
 */
export class Sequence {
  readonly #id: string;
  readonly #msg: CrecMessage;
  readonly #send: (msg: CrecMessage) => void;
  #held: CrecMessage | undefined;
  #count = 0;

  /** `msg` started the sequence. If it is part of another sequence, its `parts` are kept for a later join. */
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

  /** Sends the held message without a count: for a search that failed. */
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
