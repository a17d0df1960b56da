import { encodeFunctionData } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import { artifact } from "./artifacts.ts";
import { FundsProblem, inCoins } from "./funds.ts";
import { isRefusal } from "./node/refusals.ts";
import { awaitReceipt } from "./relayer.ts";

/** Length of 32 bytes in hex, with 0x. */
const WORD = 66;

export type Payment = { to: Address; amount: bigint; token: "native" | Address };
export type Paid = {
  transaction_hash: Hex;
  block_number: number;
  token: string;
  from: Address;
  to: Address;
  amount: string;
};

/** The chain refuses a payment. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
}

/**
 * Pays from the service's account with a real transfer, and resolves when it is in a block. It mints demo tokens where the
 * account has too few.
 *
 * @throws PaymentRefused when the chain refuses or reverts the transfer.
 */
export async function payOut(context: Context, { to, amount, token }: Payment): Promise<Paid> {
  const request =
    token === "native"
      ? { to, value: amount }
      : { to: token, data: await tokenCall(context, { to, amount, token }) };
  const { hash } = await context.relayer.send(request).catch(async (error: unknown) => {
    if (error instanceof FundsProblem) {
      const held = await context.chain.balance(context.relayer.address);
      const { chain_id } = context.chain.network;
      throw new PaymentRefused(
        `the service's account ${context.relayer.address} holds ${inCoins(held, chain_id)}`,
      );
    }
    throw isRefusal(error) ? new PaymentRefused(`the chain refuses it: ${messageOf(error)}`) : error;
  });
  context.ticker.wake();
  const receipt = await awaitReceipt(context.chain, hash);
  if (!receipt.succeeded) {
    throw new PaymentRefused(
      token === "native" ? "the receiver reverts it" : "the token's contract reverts it",
    );
  }
  return {
    transaction_hash: hash,
    block_number: receipt.blockNumber,
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
  const answer = await context.chain.call({ to: token, data });
  // A contract that is not a token may return anything.
  const held = "data" in answer && answer.data.length >= WORD ? BigInt(answer.data.slice(0, WORD)) : 0n;
  const functionName = held < amount && token === context.contracts.DemoToken ? "mint" : "transfer";
  return encodeFunctionData({ abi, functionName, args: [to, amount] });
}
