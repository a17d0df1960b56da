import { decodeErrorResult } from "viem";
import { type Abi, decodeRevert } from "../../../src/abi/index.ts";
import type { Hex } from "../../../src/protocol/index.ts";
import { artifact, knownErrors } from "./artifacts.ts";

/** Why a call of a wallet reverted: what it said, and the name of the error where it is the wallet's own. */
export type RevertReason = { reason: string; error?: string };

/** Reads revert data. A failed batch is opened: the reason is that of the transaction that failed. */
export function explainRevert(data: Hex, transactions = 1): RevertReason {
  const own = walletError(data);
  if (own?.errorName === "TransactionFailed") {
    const [index, inner] = own.args as [bigint, Hex];
    const reason = words(inner);
    return { reason: transactions > 1 ? `transaction ${index + 1n} of ${transactions}: ${reason}` : reason };
  }
  return own === undefined ? { reason: words(data) } : { reason: words(data), error: own.errorName };
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
