import { decodeErrorResult } from "viem";
import { type Abi, decodeRevert } from "../../../src/abi/index.ts";
import type { Hex } from "../../../src/protocol/index.ts";
import { artifact, knownErrors } from "./artifacts.ts";
import type { Chain } from "./chain.ts";
import type { CallFailure, Receipt } from "./chain-data.ts";
import { isRefusal } from "./node/refusals.ts";

/** Why a call of a wallet reverted, and the name of the error if the wallet defines it. */
export type RevertReason = { reason: string; error?: string };

/** Decodes revert data. For a failed batch, the reason is that of the failed transaction. */
export function explainRevert(data: Hex, transactions = 1): RevertReason {
  const own = walletError(data);
  if (own?.errorName === "TransactionFailed") {
    const [index, inner] = own.args as [bigint, Hex];
    const reason = words(inner);
    return { reason: transactions > 1 ? `transaction ${index + 1n} of ${transactions}: ${reason}` : reason };
  }
  return own === undefined ? { reason: words(data) } : { reason: words(data), error: own.errorName };
}

/** Why a call failed: what it reverted with, or what the node says of it. */
export function explainFailure({ reverted, message }: CallFailure, transactions = 1): RevertReason {
  return reverted === undefined
    ? { reason: `the contract's code failed: ${message}` }
    : explainRevert(reverted, transactions);
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
