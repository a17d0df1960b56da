import type { Confidence, Hex, OperationStatus } from "../../../src/protocol/index.ts";
import type { Heads, Receipt } from "../chain/chain-data.ts";
import { Refills } from "../chain/funds.ts";
import { isRefusalForGood } from "../chain/node/refusals.ts";
import { revertReason } from "../chain/revert.ts";
import { executionOf, saysExecuted } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import type { StoredOperation } from "../store/operations.ts";
import { now } from "../time.ts";
import { isPast, whyLate } from "./clock.ts";
import { each } from "./each.ts";
import { LostOperations } from "./lost-operations.ts";
import { callDataOf, confirmOperation, operationStatuses } from "./operation.ts";
import { Sending } from "./sending.ts";
import { canWalletComeBack } from "./wallet-deployment.ts";

/** The confirmation ladder, weakest first: what an operation is when its block is this sure. */
const RUNGS = [
  ["latest", "confirmed_latest"],
  ["safe", "confirmed_safe"],
  ["finalized", "confirmed"],
] as const satisfies ReadonlyArray<[Confidence, OperationStatus]>;
const ON_THEIR_WAY: readonly OperationStatus[] = [
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
];
type Rung = (typeof RUNGS)[number][1];

/** How deep a block must lie to count as settled where the chain itself never says so. */
const SETTLED_DEPTH = 256;

/**
 * Brings operations onto the chain and up their ladder, beat by beat. The signed transaction is stored before
 * the chain has it, so a service killed at any point goes on with that same transaction; and the wallet takes
 * an id only once. An operation is never executed twice.
 */
export class OperationRelay {
  readonly #context: Context;
  readonly #sending: Sending;
  readonly #refills: Refills;
  /** The rungs of this network, up to its strongest level. */
  readonly #ladder: readonly Rung[];
  readonly #lost: LostOperations;

  constructor(context: Context) {
    this.#context = context;
    this.#sending = new Sending(context);
    this.#lost = new LostOperations(context, this.#sending);
    this.#refills = new Refills(context.refillMs);
    const strongest = RUNGS.findLastIndex(([level]) => context.confidences.includes(level));
    this.#ladder = RUNGS.slice(0, Math.max(strongest, 0) + 1).map(([, rung]) => rung);
  }

  async advance(heads: Heads): Promise<void> {
    await this.#each(["accepted", "sending"], (operation) => this.#send(operation));
    await this.#each(ON_THEIR_WAY, (operation) => this.#follow(operation, heads));
    await this.#lost.advance(heads, this.#readUpTo());
  }

  /** All that have one of the statuses when it is their turn: there may be thousands. */
  async #each(
    statuses: readonly OperationStatus[],
    work: (operation: StoredOperation) => Promise<void>,
  ): Promise<void> {
    const { store, chain, log } = this.#context;
    const ids = store.operations.unsettled(chain.network.chain_selector, ...statuses);
    const workOn = async (id: string) => {
      const operation = store.operations.get(id);
      if (operation !== undefined && statuses.includes(operation.status)) await work(operation);
    };
    await each(ids, workOn, { log, with: (id) => `operation ${id}` });
  }

  async #send(operation: StoredOperation): Promise<void> {
    const { store, relayer, pulse, injected } = this.#context;
    const id = operation.operation_id;
    if (operation.sent === undefined && isPast(operation.deadline, now())) {
      this.#refills.done(id);
      this.#endLate(operation);
      return;
    }
    operationStatuses.move(store, id, "sending");
    const failure = operation.status === "accepted" ? injected.failures.take("operation") : undefined;
    if (failure !== undefined) {
      operationStatuses.move(store, id, "failed", { reason: failure });
      return;
    }
    try {
      // Signed before a restart: this very transaction, or none; its nonce lets only one of two act.
      if (operation.sent === undefined) {
        const data = callDataOf(operation);
        const sent = await relayer.send({ to: operation.address, data }, (signed) =>
          store.operations.setSent(id, signed),
        );
        this.#sending.justSent(sent.hash);
        this.#refills.done(id);
      }
      operationStatuses.move(store, id, "sent");
      pulse.poke();
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  /** What the node refuses for good fails; what cannot be paid for waits for coins first. */
  #failIfRefused({ operation_id: id }: StoredOperation, error: unknown): void {
    const reason = isRefusalForGood(error) ? messageOf(error) : this.#refills.whyOver(id, error);
    if (reason !== undefined) operationStatuses.move(this.#context.store, id, "failed", { reason });
  }

  async #follow(operation: StoredOperation, heads: Heads): Promise<void> {
    const { store } = this.#context;
    const id = operation.operation_id;
    const outcome = operation.sent === undefined ? "gone" : await this.#sending.lookAfter(operation.sent);
    if (operation.status === "sent") operationStatuses.move(store, id, "broadcasting");
    if (outcome === "waiting") {
      // The wallet refuses it from now on, whenever it is mined.
      if (isPast(operation.deadline, heads.latest.timestamp)) this.#endLate(operation, heads);
    } else if (outcome === "gone") {
      await this.#sendAnew(operation, heads);
    } else if (
      outcome.succeeded &&
      !saysExecuted(outcome.logs, operation.address, operation.wallet_operation_id)
    ) {
      await this.#awaitWallet(operation, heads);
    } else if (outcome.succeeded) {
      await this.#climb(id, outcome, heads);
    } else {
      await this.#explainFailure(operation, outcome, heads);
    }
  }

  /** A call to an address without code succeeds too: the chain has lost the wallet, and it may be brought back. */
  async #awaitWallet(operation: StoredOperation, heads: Heads): Promise<void> {
    const { store, chain } = this.#context;
    if ((await chain.code(operation.address)) !== "0x") {
      await this.#sendAnew(operation, heads);
    } else if (!canWalletComeBack(this.#context, operation)) {
      const reason = "the chain has lost the wallet, and what could bring it back";
      operationStatuses.move(store, operation.operation_id, "failed", { reason });
    } else if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#endLate(operation, heads);
    }
  }

  /** The newest block whose replacement would be noticed. */
  #readUpTo(): number {
    const { store, chain } = this.#context;
    return store.positions(chain.network.chain_selector).get("latest") ?? 0;
  }

  async #climb(id: string, receipt: Receipt, heads: Heads): Promise<void> {
    const { store, chain } = this.#context;
    const { blockNumber } = receipt;
    const finalized = Math.min(heads.finalized, this.#readUpTo());
    const reached = blockNumber <= finalized ? 2 : blockNumber <= heads.safe ? 1 : 0;
    for (const rung of this.#ladder.slice(0, reached + 1)) {
      const operation = store.operations.get(id);
      if (operation === undefined || this.#height(rung) <= this.#height(operation.status)) continue;
      await confirmOperation(this.#context, operation, rung, receipt);
    }
    // At the end of a ladder that is shorter than the chain: looked after until its block cannot be replaced.
    const isAtEnd = store.operations.get(id)?.status === this.#ladder.at(-1);
    const isDeep = heads.finalized === 0 && blockNumber <= heads.latest.number - SETTLED_DEPTH;
    if (!isAtEnd || (blockNumber > finalized && !isDeep)) return;
    store.transaction(() => {
      store.operations.setSettled(id);
      store.executions(chain.network.chain_selector).setThere(id, blockNumber);
    });
  }

  /** Of a status that is no rung, -1. */
  #height(status: OperationStatus): number {
    return RUNGS.findIndex(([, rung]) => rung === status);
  }

  /** The nonce went to another transaction, or the chain was rolled back: has the wallet executed it after all? */
  async #sendAnew(operation: StoredOperation, heads: Heads): Promise<void> {
    if (await this.#adoptExecution(operation)) return;
    if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#endLate(operation, heads);
      return;
    }
    const { store, relayer, pulse } = this.#context;
    try {
      const sent = await relayer.send({ to: operation.address, data: callDataOf(operation) }, (signed) =>
        store.operations.setSent(operation.operation_id, signed),
      );
      this.#sending.justSent(sent.hash);
      this.#refills.done(operation.operation_id);
      pulse.poke();
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  async #explainFailure(operation: StoredOperation, receipt: Receipt, heads: Heads): Promise<void> {
    const { chain, relayer } = this.#context;
    const call = { from: relayer.address, to: operation.address, data: callDataOf(operation) };
    const { reason, error } = await revertReason(chain, call, receipt, operation.transactions.length);
    if (error === "OperationAlreadyExecuted" && (await this.#adoptExecution(operation))) return;
    if (error === "DeadlinePassed") this.#endLate(operation, heads);
    else operationStatuses.move(this.#context.store, operation.operation_id, "failed", { reason });
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

  /** What was never confirmed is `expired`; what was, until its block was replaced, has `failed`. */
  #endLate({ operation_id, status, deadline }: StoredOperation, heads?: Heads): void {
    const { store } = this.#context;
    const late = whyLate(deadline, heads);
    if (this.#height(status) < 0) {
      operationStatuses.move(store, operation_id, "expired", { reason: late });
      return;
    }
    const reason = `the chain replaced the block it was in, and then ${late}`;
    operationStatuses.move(store, operation_id, "failed", { reason });
  }
}

/**
 * Ends operations whose deadline passed before they were sent, drafts and what a chain that is down holds up; some of
 * them: how many.
 */
export function expireOperations({ store }: Context): number {
  const overdue = store.operations.overdue(now(), "pending_signature", "accepted");
  for (const { operation_id, deadline } of overdue) {
    operationStatuses.move(store, operation_id, "expired", { reason: whyLate(deadline) });
  }
  return overdue.length;
}
