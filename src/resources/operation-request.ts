import { ArgumentError } from "../errors.ts";
import type { RequestedOperation } from "../proofs/index.ts";
import type { Hex, Operation, TransactionPreview, WireTransaction } from "../protocol/index.ts";
import {
  normalizeOperation,
  type OperationInput,
  type OperationTypedData,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
  type TransactionInput,
  walletOperationIdOf,
} from "../signing/index.ts";
import { badResponse } from "./answers.ts";
import { checkAddress, checkSelector } from "./checks.ts";
import type { NamedOperation } from "./search-by-id.ts";

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
  /** Whether the caller's same call has the same id again, so that it cannot act twice. */
  isRepeatable: boolean;
};

const DEFAULT_LIFE_SECONDS = 15 * 60;

/**
 * Checks an operation, and fills in what was left out: all that can be done before anything is sent.
 * @throws {ArgumentError} with the path of the value, as `operation.transactions[0].to`.
 */
export function operationRequest(operation: NewOperation): OperationRequest {
  const { chain_selector, address, transactions } = operation;
  checkSelector(chain_selector);
  checkAddress("address", address);
  const deadline = operation.deadline ?? Math.floor(Date.now() / 1000) + DEFAULT_LIFE_SECONDS;
  if (!Number.isSafeInteger(deadline) || deadline < 0) {
    throw new ArgumentError("deadline", "The deadline must be a time in whole Unix seconds, or 0 for none.");
  }
  if (deadline !== 0 && deadline * 1000 <= Date.now()) {
    throw new ArgumentError("deadline", "The deadline has passed already. Choose one that lies ahead.");
  }
  const checked = normalizeOperation({ id: idOf(operation), account: address, deadline, transactions });
  return {
    chain_selector,
    address: checked.account,
    wallet_operation_id: checked.id,
    deadline,
    transactions: checked.transactions.map((call, index) => {
      const preview = transactions[index]?.preview;
      return preview ? { ...call, preview } : call;
    }),
  };
}

/** The request with what is signed for it on its chain. */
export function prepareOperation(
  { wallet_operation_id: id, operation_key: key }: NewOperation,
  request: OperationRequest,
  chainId: string,
): Prepared {
  const isRepeatable = id !== undefined || key !== undefined;
  return { ...digestOf(operationInput(request), chainId), request, chainId, key, isRepeatable };
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

/**
 * An operation of the service in the form that is signed.
 * @throws {BadResponseError} `BAD_RESPONSE` where the service shows it without its calls.
 * @example
 * const { data } = await client.operations.list(channelId, { limit: 1 });
 * for (const shown of data) show(operationDigest(operationInput(shown), "31337"));
 */
export function operationInput(operation: Operation | OperationRequest): OperationInput {
  const { wallet_operation_id: id, address: account, deadline, transactions } = operation;
  if (transactions.length === 0) throw badResponse("with an operation without its transactions");
  return { id, account, deadline, transactions };
}

/**
 * An operation of the service as a verifier compares it with a proof.
 * @example
 * const { data } = await client.operations.list(channelId, { limit: 1 });
 * for (const shown of data) show(askedOperation(shown).walletOperationId);
 */
export function askedOperation(operation: NamedOperation): RequestedOperation {
  const {
    wallet_operation_id: walletOperationId,
    address: wallet,
    chain_selector: chainSelector,
  } = operation;
  return { walletOperationId, wallet, chainSelector };
}
