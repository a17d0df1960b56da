import type { Heads } from "../../chain/chain-data.ts";
import { isRefusalForGood } from "../../chain/node/refusals.ts";
import { hasExecuted, saysExecuted } from "../../chain/smart-account.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import type { Executions } from "../../store/chain-progress.ts";
import type { StoredOperation } from "../../store/operations.ts";
import { isPast, whyLate } from "../chain-health.ts";
import { each } from "../retries.ts";
import type { TransactionTracker } from "../transaction-tracker.ts";
import { canDeployAgain } from "../wallet.ts";
import { operationRevert, sendOperation } from "./operation.ts";

/** Operations checked in one tick. */
const BATCH = 500;

/**
 * Sends confirmed operations again that the chain has lost because it was reset to an older block. Their status stays
 * as it is. The wallet accepts each id once, so none is executed twice. One that cannot be sent again is logged.
 */
export class LostOperations {
  readonly #context: Context;
  readonly #transactions: TransactionTracker;
  readonly #executions: Executions;
  /** Operations whose loss has been logged. */
  readonly #logged = new Set<string>();

  constructor(context: Context, transactions: TransactionTracker) {
    this.#context = context;
    this.#transactions = transactions;
    this.#executions = context.store.executions(context.chain.network.chain_selector);
  }

  /** `readUpTo` is the newest block whose replacement would be detected. */
  async advance(heads: Heads, readUpTo: number): Promise<void> {
    const { store, log } = this.#context;
    const missing = this.#executions.missing(BATCH).flatMap((id) => store.operations.get(id) ?? []);
    if (missing.length === 0) return;
    const logged = new Set(this.#logged);
    await each(missing, (operation) => this.#restore(operation, heads, readUpTo), {
      log,
      with: ({ operation_id }) => `operation ${operation_id}`,
    });
    const lost = [...this.#logged].filter((id) => !logged.has(id)).length;
    if (lost > 0) log.warn(`The chain has lost ${lost} confirmed operations. They are sent again.`);
  }

  async #restore(operation: StoredOperation, heads: Heads, readUpTo: number): Promise<void> {
    const { chain } = this.#context;
    const { operation_id: id, sent, address, wallet_operation_id } = operation;
    if ((await chain.code(address)) === "0x") {
      this.#logged.add(id);
      // The wallet comes first: it is deployed again where that is possible.
      if (!canDeployAgain(this.#context, operation)) this.#giveUp(id, "the factory of its wallet is gone");
      return;
    }
    if (await hasExecuted(chain, address, wallet_operation_id, readUpTo)) {
      this.#executions.setThere(id, readUpTo);
      this.#logged.delete(id);
      return;
    }
    this.#logged.add(id);
    const outcome = sent === undefined ? "gone" : await this.#transactions.track(sent);
    if (outcome === "waiting") return;
    if (outcome !== "gone" && saysExecuted(outcome.logs, address, wallet_operation_id)) return;
    if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#giveUp(id, whyLate(operation.deadline, heads));
    } else if (outcome !== "gone" && !outcome.succeeded) {
      this.#giveUp(id, (await operationRevert(this.#context, operation, outcome)).reason);
    } else {
      await this.#send(operation);
    }
  }

  async #send(operation: StoredOperation): Promise<void> {
    try {
      await sendOperation(this.#context, this.#transactions, operation);
    } catch (error) {
      if (!isRefusalForGood(error)) throw error;
      this.#giveUp(operation.operation_id, messageOf(error));
    }
  }

  #giveUp(id: string, reason: string): void {
    this.#executions.setGone(id, reason);
    this.#context.log.error(
      `The operation ${id} is confirmed, the chain has lost it, and it cannot be executed again: ${reason}. Submit a new operation if you still need it.`,
    );
  }
}
