import type { Hex } from "../../../src/protocol/index.ts";
import type { Receipt } from "../chain/chain-data.ts";
import type { TransactionRequest } from "../chain/relayer.ts";
import type { Context } from "../context.ts";
import type { SentTransaction } from "../store/rows.ts";

/** How often a transaction that is in no block is broadcast again. */
const REBROADCAST_MS = 2000;

/**
 * Sends transactions and tracks them until they are in a block. A chain can lose one: a node restarts, or a block is
 * replaced. The same signed transaction is then broadcast again, and can never be executed twice.
 */
export class TransactionTracker {
  readonly #context: Context;
  readonly #broadcastAt = new Map<Hex, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Sends a transaction that `store` has stored before it is broadcast. Throws what `Relayer.send` throws. */
  async send(request: TransactionRequest, store: (signed: SentTransaction) => void): Promise<void> {
    const { hash } = await this.#context.relayer.send(request, store);
    this.#broadcastAt.set(hash, performance.now());
    this.#context.ticker.wake();
  }

  /** The receipt; `waiting` while the transaction waits for a block, `gone` when the chain does not take it any more. */
  async track(sent: SentTransaction): Promise<Receipt | "waiting" | "gone"> {
    const receipt = await this.#context.chain.receipt(sent.hash);
    if (receipt !== undefined) {
      this.#broadcastAt.delete(sent.hash);
      return receipt;
    }
    const last = this.#broadcastAt.get(sent.hash);
    if (last !== undefined && performance.now() - last < REBROADCAST_MS) return "waiting";
    this.#broadcastAt.set(sent.hash, performance.now());
    if (await this.#context.relayer.broadcastAgain(sent)) {
      this.#context.ticker.wake();
      return "waiting";
    }
    this.#broadcastAt.delete(sent.hash);
    // It may have been mined between the two calls.
    return (await this.#context.chain.receipt(sent.hash)) ?? "gone";
  }
}
