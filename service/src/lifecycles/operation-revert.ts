import { parseTransaction } from "viem";
import type { Receipt } from "../chain/chain-data.ts";
import { inCoins } from "../chain/funds.ts";
import { isRefusal } from "../chain/node/refusals.ts";
import { inBatch, type RevertReason, revertReason } from "../chain/revert.ts";
import type { Context } from "../context.ts";
import type { StoredOperation } from "../store/operations.ts";
import { callDataOf } from "./operation.ts";

/** Why the chain reverted an operation. What the contract does not say shows in the wallet's balance, or in the gas. */
export async function operationRevert(
  context: Context,
  operation: StoredOperation,
  receipt: Receipt,
): Promise<RevertReason> {
  const { chain, relayer } = context;
  const { address: to, transactions } = operation;
  const call = { from: relayer.address, to, data: callDataOf(operation) };
  const found = await revertReason(chain, call, receipt, transactions.length);
  if (found.bareAt === undefined) return found;
  const why = hasUsedUp(operation, receipt)
    ? "out of gas, or an invalid instruction, which uses up the gas too"
    : await coinShortage(context, operation, found.bareAt, receipt.blockNumber);
  return why === undefined ? found : { reason: inBatch(why, found.bareAt, transactions.length) };
}

/**
 * A call is given 63 of 64 parts of the gas, and so is the wallet's code, which a proxy calls: a call that used up its own
 * leaves the rest.
 */
function hasUsedUp({ sent }: StoredOperation, { gasUsed }: Receipt): boolean {
  const { gas } = sent === undefined ? {} : parseTransaction(sent.raw);
  return gas !== undefined && gasUsed * 64n ** 2n >= gas * 63n ** 2n;
}

/** Undefined where the coins sufficed, and where it is not known: a call before may have brought the wallet coins. */
async function coinShortage(
  { chain }: Context,
  { address, transactions }: StoredOperation,
  failedAt: number,
  block: number,
): Promise<string | undefined> {
  const before = transactions.slice(0, failedAt);
  const failed = BigInt(transactions[failedAt]?.value ?? 0);
  if (failed === 0n || before.some(({ data }) => data !== "0x")) return undefined;
  const needed = before.reduce((sum, { value }) => sum + BigInt(value), failed);
  try {
    const held = await chain.balance(address, block);
    const { chain_id } = chain.network;
    if (held >= needed) return undefined;
    return `the wallet holds ${inCoins(held, chain_id)} and needs ${inCoins(needed, chain_id)}`;
  } catch (error) {
    // Nodes keep only the state of their newest blocks.
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
