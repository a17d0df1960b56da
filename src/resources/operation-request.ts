import { ArgumentError } from "../errors.ts";
import type { Hex, Operation, TransactionPreview, WireTransaction } from "../protocol/index.ts";
import {
  type OperationInput,
  type OperationTypedData,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
  type TransactionInput,
  walletOperationIdOf,
} from "../signing/index.ts";

/** Up to 16 calls a wallet is to make, all or none. */
export type NewOperation = {
  chain_selector: string;
  /** The wallet that executes it. */
  address: string;
  transactions: ReadonlyArray<TransactionInput & { preview?: TransactionPreview }>;
  /** Unix seconds, 0 for none. Default: in 15 minutes. */
  deadline?: number | undefined;
  /** A uint256 used once per wallet. Default: 128 random bits. */
  wallet_operation_id?: string | bigint | undefined;
  /**
   * In place of an id: a text of your own for what is to be done, such as an order number. Handing in the same
   * calls under the same key again finds the operation that is there, whatever its deadline, and acts once.
   */
  operation_key?: string | undefined;
};

/** The body of a POST, as the service takes it. */
export type OperationRequest = {
  chain_selector: string;
  address: string;
  wallet_operation_id: string;
  deadline: number;
  transactions: WireTransaction[];
  signature?: string;
};

/** A checked request with what is signed for it. */
export type Prepared = {
  request: OperationRequest;
  digest: Hex;
  typedData: OperationTypedData;
  chainId: string;
  /** What the wallet operation id was made from, if it was. */
  key?: string | undefined;
};

const DEFAULT_LIFE_SECONDS = 15 * 60;

/** @throws {ArgumentError} with the path of the value, as `operation.transactions[0].to`. */
export function prepareOperation(operation: NewOperation, chainId: string): Prepared {
  const { chain_selector, address, transactions, operation_key: key } = operation;
  const deadline = operation.deadline ?? Math.floor(Date.now() / 1000) + DEFAULT_LIFE_SECONDS;
  if (!Number.isSafeInteger(deadline) || deadline < 0) {
    throw new ArgumentError("deadline", "The deadline must be a time in whole Unix seconds, or 0 for none.");
  }
  if (deadline !== 0 && deadline * 1000 <= Date.now()) {
    throw new ArgumentError("deadline", "The deadline has passed already. Choose one that lies ahead.");
  }
  const signed = digestOf({ id: idOf(operation), account: address, deadline, transactions }, chainId);
  const { id, account, transactions: calls } = signed.typedData.message;
  const request: OperationRequest = {
    chain_selector,
    address: account,
    wallet_operation_id: id,
    deadline,
    transactions: calls.map((call, index) => {
      const preview = transactions[index]?.preview;
      return preview ? { ...call, preview } : call;
    }),
  };
  return { ...signed, request, chainId, key };
}

function idOf({
  wallet_operation_id,
  operation_key,
  chain_selector,
  address,
}: NewOperation): string | bigint {
  if (operation_key === undefined) return wallet_operation_id ?? randomWalletOperationId();
  if (wallet_operation_id === undefined) {
    return walletOperationIdOf(operation_key, { chainSelector: chain_selector, address });
  }
  const message = "Give an operation key or a wallet operation id, not both: the key stands for an id.";
  throw new ArgumentError("operation_key", message);
}

/** What the fields of an operation are signed as. */
export function digestOf(
  operation: OperationInput,
  chainId: string,
): { digest: Hex; typedData: OperationTypedData } {
  return { digest: operationDigest(operation, chainId), typedData: operationTypedData(operation, chainId) };
}

/** An operation of the service in the words of its signature. */
export function signingInput(operation: Operation): OperationInput {
  const { wallet_operation_id: id, address: account, deadline, transactions } = operation;
  return { id, account, deadline, transactions };
}
