import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  type Address,
  type Hex,
  OPERATION_STATUSES,
  type Operation,
  type OperationStatus,
  type Subject,
  type WireTransaction,
} from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import { shownStatuses } from "./channels.ts";
import { type List, type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, defined, integer, json, optionalInteger, optionalText, type Row, text } from "./rows.ts";
import { type SentTransaction, sentTransaction } from "./sent-transaction.ts";
import type { Yielder } from "./yielder.ts";

/** An operation with internal fields: its channel, its wallet, and its transaction. */
export type StoredOperation = Operation & {
  channelId: string;
  walletId: string;
  status: OperationStatus;
  address: Address;
  signature: Hex | null;
  digest: Hex;
  sent?: SentTransaction;
  /** The last status that it had on the way to the chain. Other statuses do not change it. */
  relayStatus?: OperationStatus;
};

/** Statuses on the way to the chain. */
const RELAY: ReadonlySet<OperationStatus> = new Set([
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
]);

type NewOperation = Pick<
  StoredOperation,
  | "operation_id"
  | "channelId"
  | "walletId"
  | "status"
  | "chain_selector"
  | "address"
  | "wallet_operation_id"
  | "deadline"
  | "signature"
  | "digest"
> & { transactions: WireTransaction[]; initiator: Subject; signer?: Subject };

type OperationFilter = PageRequest & {
  channelId: string;
  status?: string[];
  chainSelector?: string;
  address?: string;
  walletId?: string;
  /** Values of members of subjects, by SQL expression. */
  subjects?: Record<string, string | undefined>;
};

/** Columns that can change with the status. */
export type OperationChange = {
  signature?: Hex;
  signer?: Subject;
  canceller?: Subject;
  signed_at?: number;
  cancelled_at?: number;
  confirmed_at?: number;
};

/** Deadlines handled together: each one is a write. */
const MAX_OVERDUE = 50;

export class Operations {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;

  constructor(database: DatabaseSync, yielder: Yielder) {
    this.#database = database;
    this.#yielder = yielder;
  }

  create(operation: NewOperation): void {
    const time = now();
    this.#database
      .prepare(
        `INSERT INTO operations (operation_id, channel_id, wallet_id, status, chain_selector, address,
           wallet_operation_id, deadline, transactions, signature, digest, initiator, signer, created_at, updated_at, signed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        operation.operation_id,
        operation.channelId,
        operation.walletId,
        operation.status,
        operation.chain_selector,
        operation.address,
        operation.wallet_operation_id,
        operation.deadline,
        JSON.stringify(operation.transactions),
        operation.signature,
        operation.digest,
        JSON.stringify(operation.initiator),
        operation.signer === undefined ? null : JSON.stringify(operation.signer),
        time,
        time,
        operation.signature === null ? null : time,
      );
  }

  get(operationId: string): StoredOperation | undefined {
    const row = this.#database.prepare("SELECT * FROM operations WHERE operation_id = ?").get(operationId);
    return row === undefined ? undefined : toOperation(row as Row);
  }

  /** Whether the wallet has an operation of this id that runs or was executed. */
  isTaken(chainSelector: string, address: string, walletOperationId: string): boolean {
    return (
      this.#database
        .prepare(
          `SELECT 1 FROM operations WHERE chain_selector = ? AND address = ? AND wallet_operation_id = ?
             AND status NOT IN ('failed', 'cancelled', 'expired')`,
        )
        .get(chainSelector, address, walletOperationId) !== undefined
    );
  }

  /** Ids of operations with these statuses that can still change, oldest first. */
  unsettled(chainSelector: string, ...status: OperationStatus[]): string[] {
    const conditions = new Conditions()
      .equal("chain_selector", chainSelector)
      .equal("settled", 0)
      .oneOf("status", status);
    return this.#database
      .prepare(`SELECT operation_id FROM operations WHERE ${conditions.sql} ORDER BY sequence`)
      .all(...conditions.values)
      .map((row) => text(row as Row, "operation_id"));
  }

  /** Marks an operation as settled: its status is final and it is not followed any more. */
  setSettled(operationId: string): void {
    this.#database.prepare("UPDATE operations SET settled = 1 WHERE operation_id = ?").run(operationId);
  }

  /** Operations with a deadline before `time`, at most fifty of each status. */
  overdue(time: number, ...status: OperationStatus[]): StoredOperation[] {
    return status.flatMap((one) =>
      new Conditions()
        .equal("status", one)
        .add("deadline > 0 AND deadline < ?", time)
        .select(this.#database, "operations", { order: "deadline", limit: MAX_OVERDUE })
        .map(toOperation),
    );
  }

  list(filter: OperationFilter): Promise<Page<StoredOperation>> {
    const { channelId } = filter;
    const conditions = new Conditions()
      .noneOf("operation_id", filter.absent)
      .equal("chain_selector", filter.chainSelector);
    for (const [expression, value] of Object.entries(filter.subjects ?? {}))
      conditions.equal(expression, value);
    const list: List = {
      table: "operations",
      step: -1,
      indexed: [
        { channel_id: channelId, status: shownStatuses(filter.status, OPERATION_STATUSES) },
        ...(filter.walletId === undefined ? [] : [{ channel_id: channelId, wallet_id: filter.walletId }]),
        ...(filter.address === undefined
          ? []
          : [{ channel_id: channelId, wallet_id: this.#walletsAt(filter.address) }]),
      ],
      conditions,
    };
    return pageOfList({ database: this.#database, yielder: this.#yielder }, list, filter, toOperation);
  }

  /** The ids of wallets at an address, which is also that of their operations. */
  #walletsAt(address: string): string[] {
    return this.#database
      .prepare("SELECT wallet_id FROM wallets WHERE lower(address) = lower(?)")
      .all(address)
      .map((row) => text(row as Row, "wallet_id"));
  }

  setStatus(operationId: string, status: OperationStatus, change: OperationChange = {}): void {
    const columns = ["status = ?", "updated_at = ?"];
    const values: SQLInputValue[] = [status, now()];
    if (RELAY.has(status)) {
      columns.push("relay_status = ?");
      values.push(status);
    }
    for (const [column, value] of Object.entries(change)) {
      columns.push(`${column} = ?`);
      values.push(typeof value === "object" ? JSON.stringify(value) : value);
    }
    this.#database
      .prepare(`UPDATE operations SET ${columns.join(", ")} WHERE operation_id = ?`)
      .run(...values, operationId);
  }

  setSent(operationId: string, sent: SentTransaction): void {
    this.#database
      .prepare("UPDATE operations SET raw_transaction = ?, transaction_hash = ? WHERE operation_id = ?")
      .run(sent.raw, sent.hash, operationId);
  }
}

/** As the API returns it. */
export function shownOperation(stored: StoredOperation): Operation {
  const { channelId, walletId, sent, relayStatus, ...operation } = stored;
  return operation;
}

type StoredTransaction = WireTransaction & { preview_snapshot?: Record<string, unknown> };

/** A snapshot always has execution values. This service knows none. */
function withExecutionValues(transaction: StoredTransaction): StoredTransaction {
  const { preview_snapshot: snapshot } = transaction;
  if (snapshot === undefined) return transaction;
  return { ...transaction, preview_snapshot: { execution_values: {}, ...snapshot } };
}

function toOperation(row: Row): StoredOperation {
  const subject = (column: string) => (row[column] === null ? undefined : json<Subject>(row, column));
  return defined({
    operation_id: text(row, "operation_id"),
    channelId: text(row, "channel_id"),
    walletId: text(row, "wallet_id"),
    status: text(row, "status") as OperationStatus,
    chain_selector: text(row, "chain_selector"),
    address: text(row, "address") as Address,
    wallet_operation_id: text(row, "wallet_operation_id"),
    deadline: integer(row, "deadline"),
    transactions: json<StoredTransaction[]>(row, "transactions").map(withExecutionValues),
    signature: (optionalText(row, "signature") ?? null) as Hex | null,
    digest: text(row, "digest") as Hex,
    initiator: subject("initiator"),
    signer: subject("signer"),
    canceller: subject("canceller"),
    signed_at: optionalInteger(row, "signed_at"),
    cancelled_at: optionalInteger(row, "cancelled_at"),
    confirmed_at: optionalInteger(row, "confirmed_at"),
    created_at: integer(row, "created_at"),
    updated_at: integer(row, "updated_at"),
    sent: sentTransaction(row),
    relayStatus: optionalText(row, "relay_status") as OperationStatus | undefined,
  });
}
