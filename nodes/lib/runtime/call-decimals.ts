import type { NodeAPI } from "node-red";
import { nodeError } from "../shared/errors.ts";
import type { ContractRef } from "./config-nodes.ts";
import { contractsAt } from "./contract-registry.ts";
import { unitsAt } from "./deployed-contracts.ts";

type Chosen = Pick<ContractRef, "chainSelector" | "address" | "decimals" | "amounts">;

/** A call with amounts in tokens: which decimals they have is known by the address that is called. */
export type CountedCall = {
  chainSelector: string;
  to: string;
  /** The contract of the form. Its decimals count only for its own address. */
  chosen: Chosen;
  /** What is in tokens, for the error: `args.amount is given in tokens`. */
  what: string;
};

/** The decimals of the address that is called. @throws NO_DECIMALS */
export function decimalsOfCall(RED: NodeAPI, call: CountedCall): number {
  const units = unitsAt(RED, call.chainSelector, call.to, call.chosen);
  if (units) return units.decimals;
  throw noDecimals(RED, call);
}

/** Names the address, and what is wrong. */
export function noDecimals(RED: NodeAPI, { chainSelector, to, what }: Omit<CountedCall, "chosen">): Error {
  const nodes = contractsAt(RED, chainSelector, to);
  const why = nodes.some(({ contract }) => contract.decimals !== undefined)
    ? `but the contract nodes of ${to} have different decimals. Correct them`
    : `but the decimals of ${to} are not known. Fill them in in a contract node with this address and network`;
  return nodeError("NO_DECIMALS", `${what}, ${why}, or use the smallest unit.`);
}
