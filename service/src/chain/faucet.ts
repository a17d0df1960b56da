import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { artifact } from "./artifacts.ts";
import { awaitReceipt } from "./relayer.ts";

export type Payment = { to: Address; amount: bigint; token: "native" | Address };
export type Paid = {
  transaction_hash: Hex;
  block_number: number;
  token: string;
  from: Address;
  to: Address;
  amount: string;
};

/**
 * Pays from the service's own account: a real transfer on the chain, resolved when it is in a block.
 * Where the account holds too little of the demo token, it mints instead.
 *
 * @throws Error when the chain refuses or reverts the transfer.
 */
export async function payOut(context: Context, { to, amount, token }: Payment): Promise<Paid> {
  const { hash } =
    token === "native"
      ? await context.relayer.send({ to, value: amount })
      : await context.relayer.send({ to: token, data: await tokenCall(context, { to, amount, token }) });
  context.pulse.poke();
  const receipt = await awaitReceipt(context.chain, hash);
  if (!receipt.succeeded) throw new Error(`The transfer of ${amount} to ${to} reverted.`);
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
  const held =
    "data" in answer && answer.data !== "0x"
      ? (decodeFunctionResult({ abi, functionName: "balanceOf", data: answer.data }) as bigint)
      : 0n;
  const functionName = held < amount && token === context.contracts.DemoToken ? "mint" : "transfer";
  return encodeFunctionData({ abi, functionName, args: [to, amount] });
}
