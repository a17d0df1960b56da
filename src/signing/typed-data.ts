import * as Hash from "ox/Hash";
import * as TypedData from "ox/TypedData";
import { ArgumentError } from "../errors.ts";
import { like, reading } from "../options/index.ts";
import type { Address, Hex } from "../protocol/index.ts";
import { type NormalizedOperation, normalizeOperation, type OperationInput } from "./operation.ts";

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
export function operationDigest(operation: OperationInput, chainId: string | number | bigint): Hex {
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
export function operationPreimage(operation: OperationInput, chainId: string | number | bigint): Hex {
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
