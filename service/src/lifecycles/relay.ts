import type { Hex, OperationStatus } from "../../../src/protocol/index.ts";
import { type Heads, isRefusal, isRefusalForGood, type Receipt } from "../chain/chain.ts";
import { explainRevert, type RevertReason } from "../chain/revert.ts";
import { executeData, executionOf, saysExecuted } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import type { StoredOperation } from "../store/operations.ts";
import { now } from "../time.ts";
import { each } from "./each.ts";
import { confirmOperation, moveOperation } from "./operation.ts";
import { Sending } from "./sending.ts";

/** The confirmation ladder, weakest first. */
const RUNGS = [
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
] as const satisfies readonly OperationStatus[];

/**
 * Brings operations onto the chain and up their ladder, beat by beat. The signed transaction is stored before
 * the chain has it, so a service killed at any point goes on with that same transaction; and the wallet takes
 * an id only once. An operation is never executed twice.
 */
export class OperationRelay {
  readonly #context: Context;
  readonly #sending: Sending;

  constructor(context: Context) {
    this.#context = context;
    this.#sending = new Sending(context);
  }

  async advance(heads: Heads): Promise<void> {
    const { store, chain, log } = this.#context;
    const selector = chain.network.chain_selector;
    const trouble = { log, with: ({ operation_id }: StoredOperation) => `operation ${operation_id}` };
    const waiting = store.operations.withStatus(selector, "accepted", "sending");
    await each(waiting, (operation) => this.#send(operation), trouble);
    const onTheirWay = store.operations.withStatus(
      selector,
      ...(["sent", "broadcasting", "confirmed_latest", "confirmed_safe"] as const),
    );
    await each(onTheirWay, (operation) => this.#follow(operation, heads), trouble);
  }

  async #send(operation: StoredOperation): Promise<void> {
    const { store, relayer, pulse } = this.#context;
    const id = operation.operation_id;
    moveOperation(store, id, "sending");
    try {
      // Signed before a restart: this very transaction, or none; its nonce lets only one of two act.
      if (operation.sent === undefined) {
        const data = callDataOf(operation);
        const sent = await relayer.send({ to: operation.address, data }, (signed) =>
          store.operations.setSent(id, signed),
        );
        this.#sending.justSent(sent.hash);
      }
      moveOperation(store, id, "sent");
      pulse.poke();
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  #failIfRefused(operation: StoredOperation, error: unknown): void {
    if (!isRefusalForGood(error)) throw error;
    moveOperation(this.#context.store, operation.operation_id, "failed", { reason: messageOf(error) });
  }

  async #follow(operation: StoredOperation, heads: Heads): Promise<void> {
    const { store } = this.#context;
    const id = operation.operation_id;
    const outcome = operation.sent === undefined ? "gone" : await this.#sending.lookAfter(operation.sent);
    if (operation.status === "sent") moveOperation(store, id, "broadcasting");
    if (outcome === "waiting") {
      // The wallet refuses it from now on, whenever it is mined.
      if (operation.deadline > 0 && heads.latest.timestamp > operation.deadline) this.#expire(operation);
    } else if (outcome === "gone") {
      await this.#sendAnew(operation);
    } else if (
      outcome.succeeded &&
      !saysExecuted(outcome.logs, operation.address, operation.wallet_operation_id)
    ) {
      // A call to an address without code succeeds too: the chain has lost the wallet, which is being brought back.
      await this.#sendAnew(operation);
    } else if (outcome.succeeded) {
      await this.#climb(id, outcome, heads);
    } else {
      await this.#explainFailure(operation, outcome);
    }
  }

  async #climb(id: string, receipt: Receipt, heads: Heads): Promise<void> {
    const reached = receipt.blockNumber <= heads.finalized ? 2 : receipt.blockNumber <= heads.safe ? 1 : 0;
    for (const rung of RUNGS.slice(0, reached + 1)) {
      const operation = this.#context.store.operations.get(id);
      if (operation === undefined || RUNGS.indexOf(rung) <= RUNGS.indexOf(operation.status as "confirmed"))
        continue;
      await confirmOperation(this.#context, operation, rung, receipt.hash);
    }
  }

  /** The nonce went to another transaction, or the chain was rolled back: has the wallet executed it after all? */
  async #sendAnew(operation: StoredOperation): Promise<void> {
    if (await this.#adoptExecution(operation)) return;
    const { store, relayer } = this.#context;
    try {
      const sent = await relayer.send({ to: operation.address, data: callDataOf(operation) }, (signed) =>
        store.operations.setSent(operation.operation_id, signed),
      );
      this.#sending.justSent(sent.hash);
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  async #explainFailure(operation: StoredOperation, receipt: Receipt): Promise<void> {
    const { reason, error } = await this.#revertReason(operation, receipt);
    if (error === "OperationAlreadyExecuted" && (await this.#adoptExecution(operation))) return;
    if (error === "DeadlinePassed") this.#expire(operation);
    else moveOperation(this.#context.store, operation.operation_id, "failed", { reason });
  }

  /** Goes on with the transaction in which the wallet executed this very operation, when there is one. */
  async #adoptExecution(operation: StoredOperation): Promise<boolean> {
    const { chain, store } = this.#context;
    const { sent } = operation;
    const hash = await executionOf(chain, operation);
    if (hash === undefined || sent === undefined || hash === sent.hash) return false;
    const transaction = await chain.rpc<{ input: Hex } | null>("eth_getTransactionByHash", [hash]);
    if (transaction?.input !== callDataOf(operation)) return false;
    store.operations.setSent(operation.operation_id, { hash, raw: sent.raw });
    this.#context.pulse.poke();
    return true;
  }

  /** A mined revert leaves no reason: the same call at its block tells it. */
  async #revertReason(operation: StoredOperation, receipt: Receipt): Promise<RevertReason> {
    const { chain, relayer } = this.#context;
    const call = { from: relayer.address, to: operation.address, data: callDataOf(operation) };
    for (const block of [receipt.blockNumber, receipt.blockNumber - 1]) {
      try {
        const answer = await chain.call(call, block);
        if ("reverted" in answer) return explainRevert(answer.reverted, operation.transactions.length);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // Nodes keep the state of their newest blocks only.
        return { reason: "the transaction reverted; the chain does not keep the reason any more" };
      }
    }
    return { reason: "the transaction reverted without a reason, or ran out of gas" };
  }

  #expire(operation: StoredOperation): void {
    moveOperation(this.#context.store, operation.operation_id, "expired", { reason: "the deadline passed" });
  }
}

/** Ends operations whose deadline passed before they were sent: drafts, and what a chain that is down holds up. */
export function expireOperations({ store }: Context): void {
  for (const { operation_id } of store.operations.overdue(now(), "pending_signature", "accepted")) {
    moveOperation(store, operation_id, "expired", { reason: "the deadline passed" });
  }
}

function callDataOf(operation: StoredOperation): Hex {
  if (operation.signature === null) throw new Error(`Operation ${operation.operation_id} has no signature.`);
  return executeData({ ...operation, signature: operation.signature });
}
