import { callData, checksumAddress, toAbiValue } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { type Address, type Hex, LIMITS } from "../protocol/index.ts";

/** An operation as a program gives it. Integers beyond 2^53 must be decimal text or bigint. */
export type OperationInput = {
  /** Single use per wallet and chain: the `wallet_operation_id` of the wire. */
  id: string | bigint | number;
  /** The smart-account wallet that executes it. */
  account: string;
  /** When it expires, in Unix seconds; 0 for never. */
  deadline: string | bigint | number;
  /** 1 to 16 calls, executed in order, all or none. */
  transactions: readonly TransactionInput[];
};

/** One call of an operation. */
export type TransactionInput = {
  /** The address that is called. */
  to: string;
  /** Wei, paid from the wallet's own balance. */
  value: string | bigint | number;
  /** Call data as hex; the `0x` may be left out. */
  data: string;
};

/** The same, checked and in one form: integers as decimal text, addresses checksummed, call data with `0x`. */
export type NormalizedOperation = {
  /** The `wallet_operation_id`. */
  id: string;
  /** The wallet. */
  account: Address;
  /** Unix seconds; `0` for never. */
  deadline: string;
  /** The calls, with values in wei. */
  transactions: Array<{ to: Address; value: string; data: Hex }>;
};

/**
 * Checks an operation and converts it to one form.
 *
 * @throws ArgumentError `INVALID_ARGUMENT`, `INVALID_ADDRESS` or `INTEGER_OUT_OF_RANGE`, with the path
 * of the value, such as `operation.transactions[0].value`.
 */
export function normalizeOperation(operation: OperationInput, path = "operation"): NormalizedOperation {
  const { id, account, deadline, transactions } = operation;
  const { transactionsPerOperation: most } = LIMITS;
  if (!Array.isArray(transactions) || transactions.length < 1 || transactions.length > most) {
    throw new ArgumentError(
      `${path}.transactions`,
      `${path}.transactions must be a list of 1 to ${most} calls.`,
    );
  }
  return {
    id: uint256(id, `${path}.id`),
    account: checksumAddress(account, `${path}.account`),
    deadline: uint256(deadline, `${path}.deadline`),
    transactions: transactions.map(({ to, value, data }: TransactionInput, index) => {
      const at = `${path}.transactions[${index}]`;
      return {
        to: checksumAddress(to, `${at}.to`),
        value: uint256(value, `${at}.value`),
        data: callData(data, `${at}.data`),
      };
    }),
  };
}

function uint256(value: unknown, path: string): string {
  return String(toAbiValue({ name: "", type: "uint256" }, value, path));
}
