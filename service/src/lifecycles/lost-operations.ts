import type { Heads } from "../chain/chain-data.ts";
import { isRefusalForGood } from "../chain/node/refusals.ts";
import { revertReason } from "../chain/revert.ts";
import { hasExecuted, saysExecuted } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import type { Executions } from "../store/executions.ts";
import type { StoredOperation } from "../store/operations.ts";
import { isPast, whyLate } from "./clock.ts";
import { each } from "./each.ts";
import { callDataOf } from "./operation.ts";
import type { Sending } from "./sending.ts";
import { canWalletComeBack } from "./wallet-deployment.ts";

/** Looked at in one beat. */
const AT_ONCE = 500;

/**
 * Brings confirmed operations back that a chain has lost because it went back, or was put back while the service was
 * down. Their status stays what it was; the wallet takes each id once, so none acts twice. What cannot be brought
 * back is told of.
 */
export class LostOperations {
  readonly #context: Context;
  readonly #sending: Sending;
  readonly #executions: Executions;
  /** Of which it has been said. */
  readonly #told = new Set<string>();

  constructor(context: Context, sending: Sending) {
    this.#context = context;
    this.#sending = sending;
    this.#executions = context.store.executions(context.chain.network.chain_selector);
  }

  /** `readUpTo` is the newest block whose replacement would be noticed. */
  async advance(heads: Heads, readUpTo: number): Promise<void> {
    const { store, log } = this.#context;
    const missing = this.#executions.missing(AT_ONCE).flatMap((id) => store.operations.get(id) ?? []);
    if (missing.length === 0) return;
    const told = new Set(this.#told);
    await each(missing, (operation) => this.#bringBack(operation, heads, readUpTo), {
      log,
      with: ({ operation_id }) => `operation ${operation_id}`,
    });
    const lost = [...this.#told].filter((id) => !told.has(id)).length;
    if (lost > 0) log.warn(`The chain has lost ${lost} confirmed operations. They are sent again.`);
  }

  async #bringBack(operation: StoredOperation, heads: Heads, readUpTo: number): Promise<void> {
    const { chain } = this.#context;
    const { operation_id: id, sent, address, wallet_operation_id } = operation;
    if ((await chain.code(address)) === "0x") {
      this.#told.add(id);
      // The wallet comes first; it is deployed again where that is possible.
      if (!canWalletComeBack(this.#context, operation)) this.#giveUp(id, "the factory of its wallet is gone");
      return;
    }
    if (await hasExecuted(chain, address, wallet_operation_id, readUpTo)) {
      this.#executions.setThere(id, readUpTo);
      this.#told.delete(id);
      return;
    }
    this.#told.add(id);
    const outcome = sent === undefined ? "gone" : await this.#sending.lookAfter(sent);
    if (outcome === "waiting") return;
    if (outcome !== "gone" && saysExecuted(outcome.logs, address, wallet_operation_id)) return;
    if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#giveUp(id, whyLate(operation.deadline, heads));
    } else if (outcome !== "gone" && !outcome.succeeded) {
      const call = { from: this.#context.relayer.address, to: address, data: callDataOf(operation) };
      this.#giveUp(id, (await revertReason(chain, call, outcome, operation.transactions.length)).reason);
    } else {
      await this.#send(operation);
    }
  }

  async #send(operation: StoredOperation): Promise<void> {
    const { store, relayer, pulse } = this.#context;
    const { operation_id: id, address } = operation;
    try {
      const sent = await relayer.send({ to: address, data: callDataOf(operation) }, (signed) =>
        store.operations.setSent(id, signed),
      );
      this.#sending.justSent(sent.hash);
      pulse.poke();
    } catch (error) {
      if (!isRefusalForGood(error)) throw error;
      this.#giveUp(id, messageOf(error));
    }
  }

  #giveUp(id: string, reason: string): void {
    this.#executions.setGone(id, reason);
    this.#context.log.error(
      `The operation ${id} is confirmed, the chain has lost it, and it cannot be brought back: ${reason}. Submit a new operation if its effect is still wanted.`,
    );
  }
}
