import { encodeFunctionData, keccak256, stringToHex, zeroHash } from "viem";
import type { Address, Hex } from "../../../../src/protocol/index.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import { FundsProblem, inCoins } from "../funds.ts";
import { isOtherRefusal } from "../node/refusals.ts";
import { awaitReceipt } from "../relayer.ts";
import { explainFailure } from "../revert.ts";
import { artifact } from "./contracts.ts";

export type Mined = { hash: Hex; blockNumber: number };

type Payment = { to: Address; amount: bigint; token: "native" | Address };
type Paid = {
  transaction_hash: Hex;
  block_number: number;
  token: string;
  from: Address;
  to: Address;
  amount: string;
};

/** Length of 32 bytes in hex, with 0x. */
const WORD = 66;

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
 * Sends a transaction from the service's account, and resolves when it is in a block.
 *
 * @param whyReverted the reason, where the transaction reverts.
 * @throws TransactionRefused when the chain refuses or reverts it.
 */
async function sendAndAwait(
  context: Context,
  request: { to: Address; data?: Hex; value?: bigint },
  whyReverted: string,
): Promise<Mined> {
  const { hash } = await context.relayer.send(request).catch(async (error: unknown) => {
    if (error instanceof FundsProblem) {
      const { chain, relayer } = context;
      const held = await chain.atNewHead(() => chain.balance(relayer.address));
      const { chain_id } = chain.network;
      throw new TransactionRefused(
        `the service's account ${relayer.address} holds ${inCoins(held, chain_id)}`,
      );
    }
    throw isOtherRefusal(error) ? new TransactionRefused(`the chain refuses it: ${messageOf(error)}`) : error;
  });
  context.ticker.wake();
  const receipt = await awaitReceipt(context.chain, hash);
  if (!receipt.succeeded) throw new TransactionRefused(whyReverted);
  return { hash, blockNumber: receipt.blockNumber };
}

/**
 * Calls a demo contract from the service's account, and resolves when the call is in a block.
 *
 * @throws TransactionRefused when the contract or the chain refuses the call.
 */
export async function callContract(
  context: Context,
  name: keyof Context["contracts"],
  functionName: string,
  args: readonly unknown[],
): Promise<Mined> {
  const { chain, relayer } = context;
  const to = context.contracts[name];
  const data = encodeFunctionData({ abi: artifact(name).abi, functionName, args });
  const answer = await chain.atNewHead(() => chain.call({ from: relayer.address, to, data }));
  if ("reverted" in answer) throw new TransactionRefused(explainFailure(answer).reason);
  return await sendAndAwait(context, { to, data }, "the contract reverts it");
}

/**
 * Pays from the service's account with a real transfer, and resolves when it is in a block. It mints demo tokens where the
 * account has too few.
 *
 * @throws TransactionRefused when the chain refuses or reverts the transfer.
 */
export async function payOut(context: Context, { to, amount, token }: Payment): Promise<Paid> {
  const native = token === "native";
  const { hash, blockNumber } = await sendAndAwait(
    context,
    native ? { to, value: amount } : { to: token, data: await tokenCall(context, { to, amount, token }) },
    native ? "the receiver reverts it" : "the token's contract reverts it",
  );
  return {
    transaction_hash: hash,
    block_number: blockNumber,
    token,
    from: context.relayer.address,
    to,
    amount: String(amount),
  };
}

async function tokenCall(
  context: Context,
  { to, amount, token }: Payment & { token: Address },
): Promise<Hex> {
  const { abi } = artifact("DemoToken");
  const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [context.relayer.address] });
  const { chain } = context;
  const answer = await chain.atNewHead(() => chain.call({ to: token, data }));
  // A contract that is not a token may return anything.
  const held = "data" in answer && answer.data.length >= WORD ? BigInt(answer.data.slice(0, WORD)) : 0n;
  const functionName = held < amount && token === context.contracts.DemoToken ? "mint" : "transfer";
  return encodeFunctionData({ abi, functionName, args: [to, amount] });
}

/**
 * Calls the guarded token from the service's account, which deployed it, and resolves when the call is in a block.
 *
 * @throws TransactionRefused when the contract or the chain refuses the call.
 */
export async function callGuardedToken(context: Context, call: GuardedCall): Promise<Mined> {
  return await callContract(context, "GuardedToken", call.action, argumentsOf(call));
}

function argumentsOf(call: GuardedCall): unknown[] {
  if ("role" in call) return [roleId(call.role), call.to];
  if (!("to" in call)) return "amount" in call ? [call.amount] : [];
  return "amount" in call ? [call.to, call.amount] : [call.to];
}

function roleId(role: Role): Hex {
  return role === "DEFAULT_ADMIN_ROLE" ? zeroHash : keccak256(stringToHex(role));
}

/** The chain refuses a transaction of the service's account. */
export class TransactionRefused extends Error {
  override readonly name = "TransactionRefused";
}
