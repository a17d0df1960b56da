import type { CrecMessage } from "../common/messages/message.ts";

/** The messages that a node is working on, by the key that the node made for them. */
export class UnderWay {
  readonly #keys = new Map<CrecMessage, string>();

  /**
   * Whether a message under way has the same key and is a copy of this one, as a function node or a second wire makes
   * them: a flow that means several operations by that gets one. An event that arrives again is another message.
   */
  add(msg: CrecMessage, key: string): boolean {
    const isCopy = [...this.#keys].some(([other, its]) => its === key && other._msgid === msg._msgid);
    this.#keys.set(msg, key);
    return isCopy;
  }

  delete(msg: CrecMessage): void {
    this.#keys.delete(msg);
  }
}
