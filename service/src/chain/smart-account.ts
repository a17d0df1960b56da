import {
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  pad,
  stringToBytes,
  toEventSelector,
  toHex,
} from "viem";
import type { Address, Hex, RsaPublicKey, WireTransaction } from "../../../src/protocol/index.ts";
import { canonicalSignature } from "../../../src/signing/signature.ts";
import type { Chain } from "./chain.ts";
import type { Receipt } from "./chain-data.ts";
import { artifact } from "./demo/contracts.ts";

const EXECUTED_TOPIC = toEventSelector("OperationExecuted(uint256)");

/** 65 bytes in hex; an RSA signature has 256 bytes. */
export const ECDSA_SIGNATURE_LENGTH = 2 + 130;

/** How far the chain's clock may differ from this machine's. */
const CLOCK_SKEW_SECONDS = 600;

type AccountOwner = { owner: Address; ecdsaSigners: Address[]; rsaSigners: RsaPublicKey[] };

/** Where the factory will deploy the wallet of this id, computed without the chain. */
export function accountAddress(factory: Address, walletId: string): Address {
  // The implementation is the first contract that the factory has created.
  const implementation = getContractAddress({ from: factory, nonce: 1n });
  const bytecode = concatHex([
    "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
    implementation,
    "0x5af43d82803e903d91602b57fd5bf3",
  ]);
  return getContractAddress({ opcode: "CREATE2", from: factory, bytecode, salt: saltOf(walletId) });
}

/** Call data for the factory. */
export function deployAccountData(walletId: string, { owner, ecdsaSigners, rsaSigners }: AccountOwner): Hex {
  return encodeFunctionData({
    abi: artifact("SmartAccountFactory").abi,
    functionName: "deploy",
    args: [
      saltOf(walletId),
      owner,
      ecdsaSigners,
      rsaSigners.map(({ e, n }) => ({ e: evenHex(e), n: evenHex(n) })),
    ],
  });
}

/** Call data for the wallet. A recovery byte of 0 or 1 becomes 27 or 28, the only values that the contract accepts. */
export function executeData(operation: {
  wallet_operation_id: string;
  address: Address;
  deadline: number;
  transactions: WireTransaction[];
  signature: Hex;
}): Hex {
  const { signature } = operation;
  return encodeFunctionData({
    abi: artifact("SmartAccount").abi,
    functionName: "execute",
    args: [
      {
        id: BigInt(operation.wallet_operation_id),
        account: operation.address,
        deadline: BigInt(operation.deadline),
        transactions: operation.transactions.map(({ to, value, data }) => ({
          to,
          value: BigInt(value),
          data,
        })),
      },
      signature.length === ECDSA_SIGNATURE_LENGTH ? canonicalSignature(signature) : signature,
    ],
  });
}

/** Asks the wallet whether it accepts signatures of this signer. */
export function isSigner(chain: Chain, account: Address, signer: Address): Promise<boolean> {
  return ask(chain, account, "isSigner", [signer]);
}

/** Asks the wallet whether it had executed an operation of this id after a block. */
export function hasExecuted(
  chain: Chain,
  account: Address,
  operationId: string,
  block: number,
): Promise<boolean> {
  return ask(chain, account, "executed", [BigInt(operationId)], block);
}

/** What the wallet answers; false where it is not there. */
async function ask(
  chain: Chain,
  to: Address,
  functionName: "isSigner" | "executed",
  args: readonly unknown[],
  block?: number,
): Promise<boolean> {
  const { abi } = artifact("SmartAccount");
  const answer = await chain.call({ to, data: encodeFunctionData({ abi, functionName, args }) }, block);
  if ("reverted" in answer || answer.data === "0x") return false;
  return decodeFunctionResult({ abi, functionName, data: answer.data }) as boolean;
}

/** Whether the logs show that the wallet executed the operation of this id. */
export function saysExecuted(logs: Receipt["logs"], account: Address, operationId: string): boolean {
  return logs.some(
    ({ address, topics }) =>
      address.toLowerCase() === account.toLowerCase() &&
      topics[0] === EXECUTED_TOPIC &&
      topics[1] !== undefined &&
      BigInt(topics[1]) === BigInt(operationId),
  );
}

/**
 * The transaction in which the wallet executed an operation; undefined when it has not. It searches from the newest block
 * back to the creation of the operation, in ranges that any node accepts.
 */
export async function executionOf(
  chain: Chain,
  operation: { address: Address; wallet_operation_id: string; created_at: number },
): Promise<Hex | undefined> {
  const topics = [EXECUTED_TOPIC, pad(toHex(BigInt(operation.wallet_operation_id)))];
  const { latest } = await chain.heads();
  for (let to = latest.number; to >= 0; ) {
    const from = Math.max(0, to - chain.logRange + 1);
    const [log] = await chain.logs({ from, to, addresses: [operation.address], topics });
    if (log !== undefined) return log.transactionHash;
    const oldest = await chain.block(from);
    if (oldest === undefined || oldest.timestamp < operation.created_at - CLOCK_SKEW_SECONDS) break;
    to = from - 1;
  }
  return undefined;
}

function saltOf(walletId: string): Hex {
  return keccak256(stringToBytes(walletId));
}

/** Whole bytes, so that the contract reads them. */
function evenHex(hex: Hex): Hex {
  return hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`;
}
