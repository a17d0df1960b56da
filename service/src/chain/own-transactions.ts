import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { FundsProblem, inCoins } from "./funds.ts";
import { isOtherRefusal } from "./node/call-refusals.ts";
import { awaitReceipt } from "./relayer.ts";

export type Mined = { hash: Hex; blockNumber: number };

/** The chain refuses a transaction of the service's account. */
export class TransactionRefused extends Error {
  override readonly name = "TransactionRefused";
}

/**
 * Sends a transaction from the service's account, and resolves when it is in a block.
 *
 * @param whyReverted the reason, where the transaction reverts.
 * @throws TransactionRefused when the chain refuses or reverts it.
 */
export async function sendAndAwait(
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
