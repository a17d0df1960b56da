import type { Hex } from "../../../src/protocol/index.ts";
import type { Receipt } from "../chain/chain-data.ts";
import type { Context } from "../context.ts";
import type { SentTransaction } from "../store/sent-transaction.ts";

/** How often a transaction that is in no block is handed to the chain again. */
const AGAIN_MS = 2000;

/**
 * Looks after transactions until they are in a block. A chain can lose one: a node restarts, a block is
 * replaced. The same signed transaction is then handed in again, which can never act twice.
 */
export class Sending {
  readonly #context: Context;
  readonly #handedIn = new Map<Hex, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * The receipt, or what became of the transaction: `waiting` for a block, or `gone` when the chain will not
   * take it any more.
   */
  async lookAfter(sent: SentTransaction): Promise<Receipt | "waiting" | "gone"> {
    const receipt = await this.#context.chain.receipt(sent.hash);
    if (receipt !== undefined) {
      this.#handedIn.delete(sent.hash);
      return receipt;
    }
    const last = this.#handedIn.get(sent.hash);
    if (last !== undefined && performance.now() - last < AGAIN_MS) return "waiting";
    this.#handedIn.set(sent.hash, performance.now());
    if (await this.#context.relayer.broadcastAgain(sent)) {
      this.#context.pulse.poke();
      return "waiting";
    }
    this.#handedIn.delete(sent.hash);
    // It may have been mined between the two questions.
    return (await this.#context.chain.receipt(sent.hash)) ?? "gone";
  }

  /** Notes that a transaction has just been handed in. */
  justSent(hash: Hex): void {
    this.#handedIn.set(hash, performance.now());
  }
}
