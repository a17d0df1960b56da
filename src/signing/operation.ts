import { randomBytes } from "node:crypto";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import * as TypedData from "ox/TypedData";
import { callData, checksumAddress, toAbiValue } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { anything, like, reading } from "../options/index.ts";
import { type Address, type Hex as HexText, LIMITS } from "../protocol/index.ts";

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
  transactions: Array<{ to: Address; value: string; data: HexText }>;
};

/** The EIP-712 types of what a wallet verifies signatures of. */
const OPERATION_TYPES = {
  Operation: [
    { name: "id", type: "uint256" },
    { name: "account", type: "address" },
    { name: "deadline", type: "uint256" },
    { name: "transactions", type: "Transaction[]" },
  ],
  Transaction: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
  ],
} as const;

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

const operationKind = like<OperationInput>({});

/** Plain JSON, as wallets and remote signers take it. */
export type OperationTypedData = {
  domain: { name: "CLLSmartAccount"; version: "1"; chainId: number; verifyingContract: Address };
  types: typeof OPERATION_TYPES & { EIP712Domain: typeof DOMAIN_TYPE };
  primaryType: "Operation";
  message: NormalizedOperation;
};

/**
 * An operation as typed data. `chainId` is the EVM chain id, not the chain selector.
 *
 * @throws ArgumentError as `normalizeOperation`, and `INVALID_ARGUMENT` for a wrong chain id.
 * @example
 * const input = { id: "1", account: wallet.address, deadline: 0, transactions: [{ to: counter, value: "0", data: "0x" }] };
 * operationTypedData(input, "31337").domain.name; // → "CLLSmartAccount"
 */
export function operationTypedData(
  operation: OperationInput,
  chainId: string | number | bigint,
): OperationTypedData {
  const message = reading("operation", () => normalizeOperation(operationKind(operation, "operation")));
  return {
    domain: {
      name: "CLLSmartAccount",
      version: "1",
      chainId: readChainId(chainId),
      verifyingContract: message.account,
    },
    types: { EIP712Domain: DOMAIN_TYPE, ...OPERATION_TYPES },
    primaryType: "Operation",
    message,
  };
}

/**
 * The 32 bytes that are signed.
 *
 * @throws ArgumentError as `operationTypedData`.
 * @example
 * const input = { id: "1", account: wallet.address, deadline: 0, transactions: [{ to: counter, value: "0", data: "0x" }] };
 * const digest = operationDigest(input, await client.networks.chainIdOf(network));
 */
export function operationDigest(operation: OperationInput, chainId: string | number | bigint): HexText {
  return Hash.keccak256(operationPreimage(operation, chainId));
}

/**
 * The 66 bytes whose keccak-256 hash is the digest: `0x1901`, the hash of the domain, the hash of the operation. For
 * signers that hash what they are given.
 *
 * @throws ArgumentError as `operationTypedData`.
 * @example
 * const input = { id: "1", account: wallet.address, deadline: 0, transactions: [{ to: counter, value: "0", data: "0x" }] };
 * operationPreimage(input, "31337").length; // → 134
 */
export function operationPreimage(operation: OperationInput, chainId: string | number | bigint): HexText {
  const { domain, types, primaryType, message } = operationTypedData(operation, chainId);
  return TypedData.encode({
    domain: { ...domain, chainId: BigInt(domain.chainId) },
    types,
    primaryType,
    message: {
      id: BigInt(message.id),
      account: message.account,
      deadline: BigInt(message.deadline),
      transactions: message.transactions.map(({ to, value, data }) => ({ to, value: BigInt(value), data })),
    },
  });
}

function readChainId(chainId: string | number | bigint): number {
  const isDigits = /^(string|number|bigint)$/.test(typeof chainId) && /^\d{1,78}$/.test(String(chainId));
  const number = isDigits ? Number(chainId) : Number.NaN;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new ArgumentError(
    "chainId",
    isDigits && number > 0
      ? "chainId is beyond 2^53, the largest that can be signed for. Check that it is the EVM chain id, 11155111 for Sepolia say, and not a chain selector."
      : "chainId must be the network's EVM chain id, 11155111 for Sepolia say; a chain selector is another number.",
  );
}

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

/**
 * A new operation id: 128 random bits as decimal text. Ids made from the time may occur twice.
 * @example
 * const wallet_operation_id = randomWalletOperationId();
 */
export function randomWalletOperationId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
}

/** Its values have checks of their own. */
const walletKind = like<{ chainSelector: string; address: string }>({
  chainSelector: anything(),
  address: anything(),
});

/** Makes these ids different from any other hash of the same values. */
const PURPOSE = "wallet operation id of a key";

/**
 * The operation id for an idempotency key of the program, such as an order number: always the same for the same key,
 * wallet and network. A wallet takes each id once, so an operation with this id is executed at most once.
 *
 * It is the keccak256 hash, as decimal text, of the UTF-8 text `wallet operation id of a key`, the chain selector's
 * digits, the address in lower case, and the key, joined by zero characters.
 *
 * @throws ArgumentError `INVALID_ARGUMENT` for a blank key, or a selector that is not a number; `INVALID_ADDRESS`.
 * @example
 * walletOperationIdOf("order 4711", { chainSelector: network, address: wallet.address }); // → "…"
 */
export function walletOperationIdOf(key: string, wallet: { chainSelector: string; address: string }): string {
  if (typeof key !== "string" || key.trim() === "" || !key.isWellFormed()) {
    throw new ArgumentError("operation_key", "The operation key must be text, and not blank.");
  }
  const { chainSelector } = walletKind(wallet, "wallet");
  if (typeof chainSelector !== "string" || !/^\d{1,20}$/.test(chainSelector)) {
    throw new ArgumentError("chain_selector", "The chain selector must be decimal digits, as text.");
  }
  const network = BigInt(chainSelector).toString();
  const address = checksumAddress(wallet.address, "address").toLowerCase();
  const text = [PURPOSE, network, address, key].join("\0");
  return BigInt(Hash.keccak256(Hex.fromString(text), { as: "Hex" })).toString();
}
