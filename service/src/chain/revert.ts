import { decodeErrorResult } from "viem";
import { type Abi, decodeRevert } from "../../../src/abi/index.ts";
import type { Hex } from "../../../src/protocol/index.ts";
import type { Chain } from "./chain.ts";
import type { CallFailure, Receipt } from "./chain-data.ts";
import { artifact, knownErrors } from "./demo/contracts.ts";
import { isRefusal } from "./node/refusals.ts";

/**
 * Why a call of a wallet reverted, and the name of the error if the wallet defines it. `bareAt` is the index of the
 * transaction of the batch that failed without saying why.
 */
export type RevertReason = { reason: string; error?: string; bareAt?: number };

/** Decodes revert data. For a failed batch, the reason is that of the failed transaction. */
function explainRevert(data: Hex, transactions = 1): RevertReason {
  const own = walletError(data);
  if (own?.errorName === "TransactionFailed") {
    const [index, inner] = own.args as [bigint, Hex];
    const at = Number(index);
    return {
      reason: inBatch(words(inner), at, transactions),
      ...(inner === "0x" ? { bareAt: at } : {}),
    };
  }
  return own === undefined ? { reason: words(data) } : { reason: words(data), error: own.errorName };
}

/** The reason of one transaction of a batch. */
export function inBatch(reason: string, index: number, transactions: number): string {
  return transactions > 1 ? `transaction ${index + 1} of ${transactions}: ${reason}` : reason;
}

/** Why a call failed: what it reverted with, or what the node says of it. */
export function explainFailure({ reverted, message }: CallFailure, transactions = 1): RevertReason {
  if (reverted !== undefined) return explainRevert(reverted, transactions);
  const isOutOfGas = /out ?of ?gas/i.test(message);
  return { reason: isOutOfGas ? "out of gas" : `the contract's code failed: ${message}` };
}

/** A mined revert has no reason: the same call at its block returns it. */
export async function revertReason(
  chain: Chain,
  call: { from: string; to: string; data: Hex },
  receipt: Receipt,
  transactions = 1,
): Promise<RevertReason> {
  for (const block of [receipt.blockNumber, receipt.blockNumber - 1]) {
    try {
      const answer = await chain.call(call, block);
      if ("reverted" in answer) return explainFailure(answer, transactions);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Nodes keep only the state of their newest blocks.
      return { reason: "the transaction reverted; the chain does not keep the reason any more" };
    }
  }
  return { reason: "the transaction reverted without a reason, or ran out of gas" };
}

function words(data: Hex): string {
  return decodeRevert({ abi: knownErrors() as unknown as Abi, data });
}

function walletError(data: Hex) {
  try {
    return decodeErrorResult({ abi: artifact("SmartAccount").abi, data });
  } catch {
    return undefined;
  }
}
