import type { TransactionInput } from "../../src/index.ts";
import { type NodeChannel, placeOn } from "../common/contracts/call-decimals.ts";
import { contractOnChain } from "../common/contracts/contract-facts.ts";
import { nodeError } from "../common/shared/errors.ts";

/** A call that is sent although no contract is known at its address. */
export type Doubt = {
  /** From 1. */
  call: number;
  address: string;
  /** The service has not answered in a few seconds, or there is none yet, and an earlier call may create it. */
  why: "undecided" | "may-be-created";
};

/**
 * Refuses calls to addresses without a contract: such a call is executed and does nothing. Plain payments need none.
 *
 * @throws CONTRACT_NOT_FOUND
 */
export async function requireContracts(
  transactions: readonly TransactionInput[],
  chainSelector: string,
  channel: NodeChannel,
): Promise<Doubt[]> {
  if (channel.connection.isRehearsed) return [];
  const calls = transactions.flatMap(({ to, data }, index) => (data === "0x" ? [] : { to, call: index + 1 }));
  const found = await Promise.all(
    calls.map(async ({ to, call }, index): Promise<Doubt[]> => {
      const place = await placeOn(channel, chainSelector, to);
      const isContract = await contractOnChain(place, channel.signal);
      if (isContract) return [];
      if (isContract === undefined) return [{ call, address: to, why: "undecided" }];
      if (index === 0) throw notFound(call, to);
      return [{ call, address: to, why: "may-be-created" }];
    }),
  );
  return found.flat();
}

function notFound(call: number, address: string): Error {
  const message = `No contract: there is none at the address of call ${call} on this network, where a call succeeds and does nothing. Nothing was sent. Correct the address, or the network of the wallet. Address ${address}.`;
  return nodeError("CONTRACT_NOT_FOUND", message);
}
