import type { Confidence, Hex, OperationStatus } from "../../../../src/protocol/index.ts";
import type { Heads, Receipt } from "../../chain/chain-data.ts";
import { CoinWaits } from "../../chain/funds.ts";
import { isRefusalForGood } from "../../chain/node/refusals.ts";
import { executionOf, saysExecuted } from "../../chain/smart-account.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import type { StoredOperation } from "../../store/operations.ts";
import { now } from "../../time.ts";
import { isPast, whyLate } from "../chain-health.ts";
import { each } from "../retries.ts";
import { TransactionTracker } from "../transaction-tracker.ts";
import { canDeployAgain } from "../wallet.ts";
import { LostOperations } from "./lost.ts";
import {
  callDataOf,
  confirmOperation,
  operationRevert,
  operationStatuses,
  sendOperation,
} from "./operation.ts";

/** The confirmed statuses, weakest first, each with the level that the block of the operation has then. */
const CONFIRMED_STATUSES = [
  ["latest", "confirmed_latest"],
  ["safe", "confirmed_safe"],
  ["finalized", "confirmed"],
] as const satisfies ReadonlyArray<[Confidence, OperationStatus]>;
const FOLLOWED: readonly OperationStatus[] = ["sent", "broadcasting", "confirmed_latest", "confirmed_safe"];
type ConfirmedStatus = (typeof CONFIRMED_STATUSES)[number][1];

/** Blocks above an operation after which it counts as settled, on a chain without finality. */
const SETTLED_DEPTH = 256;

/**
 * Sends operations to the chain and follows them to their last confirmed status. The signed transaction is stored
 * before it is broadcast, so a service that was killed continues with the same transaction, and the wallet accepts an id
 * only once: an operation is never executed twice.
 */
export class OperationRelay {
  readonly #context: Context;
  readonly #transactions: TransactionTracker;
  readonly #coinWaits: CoinWaits;
  /** The confirmed statuses of this network, up to its strongest level. */
  readonly #confirmedStatuses: readonly ConfirmedStatus[];
  readonly #lost: LostOperations;

  constructor(context: Context) {
    this.#context = context;
    this.#transactions = new TransactionTracker(context);
    this.#lost = new LostOperations(context, this.#transactions);
    this.#coinWaits = new CoinWaits(context.refillMs);
    const strongest = CONFIRMED_STATUSES.findLastIndex(([level]) => context.confidences.includes(level));
    this.#confirmedStatuses = CONFIRMED_STATUSES.slice(0, Math.max(strongest, 0) + 1).map(
      ([, status]) => status,
    );
  }

  async advance(heads: Heads): Promise<void> {
    await this.#each(["accepted", "sending"], (operation) => this.#send(operation));
    await this.#each(FOLLOWED, (operation) => this.#follow(operation, heads));
    await this.#lost.advance(heads, this.#readUpTo());
  }

  /** Works on all operations that still have one of the statuses when they are reached: there may be thousands. */
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
    const { store, ticker, injected } = this.#context;
    const id = operation.operation_id;
    if (operation.sent === undefined && isPast(operation.deadline, now())) {
      this.#coinWaits.done(id);
      this.#expire(operation);
      return;
    }
    operationStatuses.move(store, id, "sending");
    const failure = operation.status === "accepted" ? injected.failures.take("operation") : undefined;
    if (failure !== undefined) {
      operationStatuses.move(store, id, "failed", { reason: failure });
      return;
    }
    try {
      // One that was signed before a restart is sent as it is: its nonce allows only one transaction.
      if (operation.sent === undefined) {
        await sendOperation(this.#context, this.#transactions, operation);
        this.#coinWaits.done(id);
      }
      operationStatuses.move(store, id, "sent");
      ticker.wake();
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  /** An operation that the node refuses fails. One that cannot be paid for waits for coins first. */
  #failIfRefused({ operation_id: id }: StoredOperation, error: unknown): void {
    const reason = isRefusalForGood(error) ? messageOf(error) : this.#coinWaits.failureReason(id, error);
    if (reason !== undefined) operationStatuses.move(this.#context.store, id, "failed", { reason });
  }

  async #follow(operation: StoredOperation, heads: Heads): Promise<void> {
    const { store } = this.#context;
    const id = operation.operation_id;
    const outcome = operation.sent === undefined ? "gone" : await this.#transactions.track(operation.sent);
    if (operation.status === "sent") operationStatuses.move(store, id, "broadcasting");
    if (outcome === "waiting") {
      // The wallet refuses it now, whenever it is mined.
      if (isPast(operation.deadline, heads.latest.timestamp)) this.#expire(operation, heads);
    } else if (outcome === "gone") {
      await this.#sendAgain(operation, heads);
    } else if (
      outcome.succeeded &&
      !saysExecuted(outcome.logs, operation.address, operation.wallet_operation_id)
    ) {
      await this.#awaitWallet(operation, heads);
    } else if (outcome.succeeded) {
      await this.#confirm(id, outcome, heads);
    } else {
      await this.#explainFailure(operation, outcome, heads);
    }
  }

  /** A call to an address without code succeeds too: the chain has lost the wallet, which may be deployed again. */
  async #awaitWallet(operation: StoredOperation, heads: Heads): Promise<void> {
    const { store, chain } = this.#context;
    if ((await chain.code(operation.address)) !== "0x") {
      await this.#sendAgain(operation, heads);
    } else if (!canDeployAgain(this.#context, operation)) {
      const reason = "the chain has lost the wallet and the factory that could deploy it again";
      operationStatuses.move(store, operation.operation_id, "failed", { reason });
    } else if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#expire(operation, heads);
    }
  }

  /** The newest block whose replacement would be detected. */
  #readUpTo(): number {
    const { store, chain } = this.#context;
    return store.positions(chain.network.chain_selector).get("latest") ?? 0;
  }

  async #confirm(id: string, receipt: Receipt, heads: Heads): Promise<void> {
    const { store, chain } = this.#context;
    const { blockNumber } = receipt;
    const finalized = Math.min(heads.finalized, this.#readUpTo());
    const reached = blockNumber <= finalized ? 2 : blockNumber <= heads.safe ? 1 : 0;
    for (const status of this.#confirmedStatuses.slice(0, reached + 1)) {
      const operation = store.operations.get(id);
      if (operation === undefined || this.#level(status) <= this.#level(operation.status)) continue;
      await confirmOperation(this.#context, operation, status, receipt);
    }
    // Where the last status comes before finality, the operation is followed until its block cannot be replaced.
    const isAtEnd = store.operations.get(id)?.status === this.#confirmedStatuses.at(-1);
    const isDeep = heads.finalized === 0 && blockNumber <= heads.latest.number - SETTLED_DEPTH;
    if (!isAtEnd || (blockNumber > finalized && !isDeep)) return;
    store.transaction(() => {
      store.operations.setSettled(id);
      store.executions(chain.network.chain_selector).setThere(id, blockNumber);
    });
  }

  /** The position of a confirmed status; -1 for any other. */
  #level(status: OperationStatus): number {
    return CONFIRMED_STATUSES.findIndex(([, confirmed]) => confirmed === status);
  }

  /** Another transaction took the nonce, or the chain was rolled back. The wallet may have executed it after all. */
  async #sendAgain(operation: StoredOperation, heads: Heads): Promise<void> {
    if (await this.#adoptExecution(operation)) return;
    if (isPast(operation.deadline, heads.latest.timestamp)) {
      this.#expire(operation, heads);
      return;
    }
    try {
      await sendOperation(this.#context, this.#transactions, operation);
      this.#coinWaits.done(operation.operation_id);
    } catch (error) {
      this.#failIfRefused(operation, error);
    }
  }

  async #explainFailure(operation: StoredOperation, receipt: Receipt, heads: Heads): Promise<void> {
    const { reason, error } = await operationRevert(this.#context, operation, receipt);
    if (error === "OperationAlreadyExecuted" && (await this.#adoptExecution(operation))) return;
    if (error === "DeadlinePassed") this.#expire(operation, heads);
    else operationStatuses.move(this.#context.store, operation.operation_id, "failed", { reason });
  }

  /** Continues with the transaction in which the wallet executed this operation, if there is one. */
  async #adoptExecution(operation: StoredOperation): Promise<boolean> {
    const { chain, store } = this.#context;
    const { sent } = operation;
    const hash = await executionOf(chain, operation);
    if (hash === undefined || sent === undefined || hash === sent.hash) return false;
    const transaction = await chain.rpc<{ input: Hex } | null>("eth_getTransactionByHash", [hash]);
    if (transaction?.input !== callDataOf(operation)) return false;
    store.operations.setSent(operation.operation_id, { hash, raw: sent.raw });
    this.#context.ticker.wake();
    return true;
  }

  /** An operation that was never confirmed is `expired`. One that was, until its block was replaced, has `failed`. */
  #expire({ operation_id, status, deadline }: StoredOperation, heads?: Heads): void {
    const { store } = this.#context;
    const late = whyLate(deadline, heads);
    if (this.#level(status) < 0) {
      operationStatuses.move(store, operation_id, "expired", { reason: late });
      return;
    }
    const reason = `the chain replaced the block it was in, and then ${late}`;
    operationStatuses.move(store, operation_id, "failed", { reason });
  }
}

/** Ends some of the operations whose deadline passed before they were sent, drafts too, and returns how many. */
export function expireOperations({ store }: Context): number {
  const overdue = store.operations.overdue(now(), "pending_signature", "accepted");
  for (const { operation_id, deadline } of overdue) {
    operationStatuses.move(store, operation_id, "expired", { reason: whyLate(deadline) });
  }
  return overdue.length;
}
