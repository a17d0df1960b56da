import { ArgumentError } from "../../errors.ts";
import {
  aList,
  anything,
  jsonObject,
  kindOf,
  like,
  optional,
  options,
  reading,
  text,
} from "../../options/index.ts";
import type { RequestedOperation } from "../../proofs/index.ts";
import type { Operation, TransactionPreview, WireTransaction } from "../../protocol/index.ts";
import {
  normalizeOperation,
  type OperationInput,
  randomWalletOperationId,
  type SignRequest,
  signRequestOf,
  type TransactionInput,
  walletOperationIdOf,
} from "../../signing/index.ts";
import { badResponse, checkAddress, checkSelector } from "./checks.ts";
import { type NamedOperation, shownText } from "./search-filter.ts";

/**
 * One operation has three forms. Each of them has the names of those who defined it:
 *
 * - on the wire, `NewOperation` and `Operation` with snake_case names: what is sent to the service, and what it answers,
 *   which is returned untouched;
 * - signed, `OperationInput` as `{ id, account, deadline, transactions }`: the names of the EIP-712 type in the wallet
 *   contract;
 * - in options and decoded values, camelCase as in all of JavaScript: `AskedOperation`, `operationKey`.
 *
 * This file converts between them, and no other does.
 */

/** An operation to create: calls that a wallet executes, all or none. */
export type NewOperation = {
  /** The network of the wallet. */
  chain_selector: string;
  /** The wallet that executes it. */
  address: string;
  /** The calls, in order: 1 to 16. `preview` is for drafts, for the person who approves them. */
  transactions: ReadonlyArray<TransactionInput & { preview?: TransactionPreview }>;
  /**
   * It is not executed after this time, in Unix seconds; 0 for no deadline.
   * @default 15 minutes from now
   */
  deadline?: number | undefined;
  /**
   * The id that is signed: a uint256 that the wallet executes once.
   * @default 128 random bits
   */
  wallet_operation_id?: string | bigint | undefined;
  /**
   * A text of your own instead of an id, such as an order number. A second operation with the same key and the same calls
   * returns the first one, whatever its deadline, so that the calls are executed once.
   */
  operation_key?: string | undefined;
};

/** The body of the request. */
export type OperationRequest = {
  chain_selector: string;
  address: string;
  wallet_operation_id: string;
  deadline: number;
  transactions: WireTransaction[];
  signature?: string;
};

/** A checked request with its digest. */
export type Prepared = SignRequest & {
  request: OperationRequest;
  chainId: string;
  /** The key from which the wallet operation id was made, if there is one. */
  key?: string | undefined;
  /** Whether the same call has the same id again, so that it cannot be executed twice. */
  isRepeatable: boolean;
};

const previewKind = optional(
  like<TransactionPreview>({ function_signature: text, metadata: optional(jsonObject) }),
);

/** Each value has a check of its own. */
const newOperation = options<NewOperation>({
  chain_selector: anything(),
  address: anything(),
  transactions: anything(),
  deadline: anything(),
  wallet_operation_id: optional(
    kindOf("decimal digits, as text or bigint", (value) => /^(string|bigint|number)$/.test(typeof value)),
  ),
  operation_key: anything(),
});

const DEFAULT_DEADLINE_SECONDS = 15 * 60;

/**
 * Checks an operation and fills in its defaults, before anything is sent. `mayBeLate`: one that was submitted before may
 * have a deadline that has passed. `serviceTime`: Unix milliseconds, if it is known; the clock of this machine may be wrong.
 * @throws {ArgumentError} with the path of the value, as `operation.transactions[0].to`.
 */
export function operationRequest(
  given: NewOperation,
  times: { mayBeLate?: boolean | undefined; serviceTime?: number | undefined } = {},
): OperationRequest {
  const operation = newOperation(given, "operation");
  return reading("operation.transactions", () => requestOf(operation, times));
}

function requestOf(
  operation: NewOperation,
  { mayBeLate = false, serviceTime }: { mayBeLate?: boolean | undefined; serviceTime?: number | undefined },
): OperationRequest {
  const { chain_selector, address, transactions } = operation;
  checkSelector(chain_selector);
  checkAddress("address", address);
  // Not by the service's clock: that would decide how long a signature can be used.
  const { deadline = Math.floor(Date.now() / 1000) + DEFAULT_DEADLINE_SECONDS } = operation;
  if (!Number.isSafeInteger(deadline) || deadline < 0) {
    throw new ArgumentError("deadline", "The deadline must be a time in whole Unix seconds, or 0 for none.");
  }
  // One that has passed by the service's clock only was made by a wrong one: the refusal of the service says so.
  if (!mayBeLate && deadline !== 0 && deadline * 1000 <= Math.min(serviceTime ?? Infinity, Date.now())) {
    throw new ArgumentError("deadline", "The deadline has passed. Choose a later one.");
  }
  const checked = normalizeOperation({ id: idOf(operation), account: address, deadline, transactions });
  return {
    chain_selector,
    address: checked.account,
    wallet_operation_id: checked.id,
    deadline,
    transactions: checked.transactions.map((call, index) => {
      const preview = previewKind(transactions[index]?.preview, `operation.transactions[${index}].preview`);
      return preview ? { ...call, preview } : call;
    }),
  };
}

/** The request with its digest for its chain. */
export function prepareOperation(
  { wallet_operation_id: id, operation_key: key }: NewOperation,
  request: OperationRequest,
  chainId: string,
): Prepared {
  const isRepeatable = id !== undefined || key !== undefined;
  return { ...signRequestOf(operationInput(request), chainId), request, chainId, key, isRepeatable };
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
  const message = "Give an operation key or a wallet operation id, not both: the id is made from the key.";
  throw new ArgumentError("operation_key", message);
}

/** What it has is the service's. */
const shownKind = like<Operation | OperationRequest>({ transactions: aList() });
const requestedKind = like<NamedOperation>({
  wallet_operation_id: shownText,
  chain_selector: shownText,
  address: shownText,
});

/**
 * An operation of the service in the form that is signed.
 * @throws {BadResponseError} `BAD_RESPONSE` where the service shows it without its calls, or with values that no operation has.
 * @example
 * const { data } = await client.operations.list(channelId, { limit: 1 });
 * for (const shown of data) show(operationDigest(operationInput(shown), "31337"));
 */
export function operationInput(operation: Operation | OperationRequest): OperationInput {
  const {
    wallet_operation_id: id,
    address: account,
    deadline,
    transactions,
  } = shownKind(operation, "operation");
  if (transactions.length === 0) throw badResponse("with an operation without its transactions");
  const input = { id, account, deadline, transactions };
  try {
    normalizeOperation(input);
  } catch (error) {
    const where = error instanceof ArgumentError ? ` (${error.path})` : "";
    throw badResponse(`with an operation whose values cannot be signed${where}`);
  }
  return input;
}

/**
 * An operation of the service as a verifier compares it with a proof.
 * @example
 * const { data } = await client.operations.list(channelId, { limit: 1 });
 * for (const shown of data) show(requestedOperation(shown).walletOperationId);
 */
export function requestedOperation(operation: NamedOperation): RequestedOperation {
  const {
    wallet_operation_id: walletOperationId,
    address: wallet,
    chain_selector: chainSelector,
  } = requestedKind(operation, "operation");
  return { walletOperationId, wallet, chainSelector };
}

/** Whether an operation's id was made from this key: a caller may give the key of another operation. */
export function isKeyOf(request: OperationRequest, key: string | undefined): boolean {
  const { chain_selector: chainSelector, address, wallet_operation_id } = request;
  return (
    key !== undefined && walletOperationIdOf(key, { chainSelector, address }) === String(wallet_operation_id)
  );
}
