import { encodeFunctionData } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { artifact } from "./artifacts.ts";
import { sendAndAwait } from "./own-transactions.ts";

/** Length of 32 bytes in hex, with 0x. */
const WORD = 66;

type Payment = { to: Address; amount: bigint; token: "native" | Address };
type Paid = {
  transaction_hash: Hex;
  block_number: number;
  token: string;
  from: Address;
  to: Address;
  amount: string;
};

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
