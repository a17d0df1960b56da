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
import type { Page, PageRequest } from "./lists.ts";
import {
  Conditions,
  defined,
  integer,
  json,
  optionalInteger,
  optionalText,
  type Row,
  type SentTransaction,
  sentTransaction,
  text,
} from "./rows.ts";
import { type Shared, shownStatuses, Table } from "./table.ts";

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

export class Operations extends Table<StoredOperation> {
  constructor(shared: Shared) {
    super(shared, "operations", "operation_id", toOperation);
  }

  create({ channelId, walletId, ...operation }: NewOperation): void {
    const time = now();
    this.insert({
      ...operation,
      ...{ channel_id: channelId, wallet_id: walletId, created_at: time, updated_at: time },
      signed_at: operation.signature === null ? null : time,
    });
  }

  /** Whether the wallet has an operation of this id that runs or was executed. */
  isTaken(chainSelector: string, address: string, walletOperationId: string): boolean {
    return this.exists(
      `chain_selector = ? AND address = ? AND wallet_operation_id = ?
         AND status NOT IN ('failed', 'cancelled', 'expired')`,
      ...[chainSelector, address, walletOperationId],
    );
  }

  /** Ids of operations with these statuses that can still change, oldest first. */
  unsettled(chainSelector: string, ...status: OperationStatus[]): string[] {
    return this.idsOf(
      new Conditions().equal("chain_selector", chainSelector).equal("settled", 0).oneOf("status", status),
    );
  }

  /** Marks an operation as settled: its status is final and it is not followed any more. */
  setSettled(operationId: string): void {
    this.change(operationId, { settled: 1 });
  }

  /** Operations with a deadline before `time`, at most fifty of each status. */
  overdue(time: number, ...status: OperationStatus[]): StoredOperation[] {
    return status.flatMap((one) => {
      const conditions = new Conditions().equal("status", one).add("deadline > 0 AND deadline < ?", time);
      return this.all(conditions, "deadline", MAX_OVERDUE);
    });
  }

  list(filter: OperationFilter): Promise<Page<StoredOperation>> {
    const { channelId: channel_id, walletId: wallet_id, address } = filter;
    const conditions = new Conditions().equal("chain_selector", filter.chainSelector);
    for (const [expression, value] of Object.entries(filter.subjects ?? {}))
      conditions.equal(expression, value);
    const indexed = [
      { channel_id, status: shownStatuses(filter.status, OPERATION_STATUSES) },
      ...(wallet_id === undefined ? [] : [{ channel_id, wallet_id }]),
      ...(address === undefined ? [] : [{ channel_id, wallet_id: this.#walletsAt(address) }]),
    ];
    return this.page({ step: -1, indexed, conditions }, filter);
  }

  /** The ids of wallets at an address, which is also that of their operations. */
  #walletsAt(address: string): string[] {
    return this.database
      .prepare("SELECT wallet_id FROM wallets WHERE lower(address) = lower(?)")
      .all(address)
      .map((row) => text(row as Row, "wallet_id"));
  }

  setStatus(operationId: string, status: OperationStatus, change: OperationChange = {}): void {
    const relay = RELAY.has(status) ? { relay_status: status } : {};
    this.change(operationId, { status, updated_at: now(), ...relay, ...change });
  }

  setSent(operationId: string, { raw, hash }: SentTransaction): void {
    this.change(operationId, { raw_transaction: raw, transaction_hash: hash });
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
