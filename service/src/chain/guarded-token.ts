import { encodeFunctionData, keccak256, stringToHex, zeroHash } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { artifact } from "./artifacts.ts";
import { type Mined, sendAndAwait, TransactionRefused } from "./own-transactions.ts";
import { explainFailure } from "./revert.ts";

export const ROLES = ["DEFAULT_ADMIN_ROLE", "MINTER_ROLE", "GUARDIAN_ROLE"] as const;
export type Role = (typeof ROLES)[number];

/** What the administrator of the guarded token can do. Amounts are in the smallest unit. */
export type GuardedCall =
  | { action: "mint" | "transfer" | "approve"; to: Address; amount: bigint }
  | { action: "burn"; amount: bigint }
  | { action: "pause" | "unpause" }
  | { action: "grantRole" | "revokeRole"; role: Role; to: Address }
  | { action: "transferOwnership" | "upgradeTo"; to: Address };

/**
 * Calls the guarded token from the service's account, which deployed it, and resolves when the call is in a block.
 *
 * @throws TransactionRefused when the contract or the chain refuses the call.
 */
export async function callGuardedToken(context: Context, call: GuardedCall): Promise<Mined> {
  const to = context.contracts.GuardedToken;
  const { abi } = artifact("GuardedToken");
  const data = encodeFunctionData({ abi, functionName: call.action, args: argumentsOf(call) });
  const { chain, relayer } = context;
  const answer = await chain.atNewHead(() => chain.call({ from: relayer.address, to, data }));
  if ("reverted" in answer) throw new TransactionRefused(explainFailure(answer).reason);
  return sendAndAwait(context, { to, data }, "the contract reverts it");
}

function argumentsOf(call: GuardedCall): unknown[] {
  if ("role" in call) return [roleId(call.role), call.to];
  if (!("to" in call)) return "amount" in call ? [call.amount] : [];
  return "amount" in call ? [call.to, call.amount] : [call.to];
}

function roleId(role: Role): Hex {
  return role === "DEFAULT_ADMIN_ROLE" ? zeroHash : keccak256(stringToHex(role));
}
