import type { NodeAPI } from "node-red";
import type { Abi } from "../../../src/index.ts";
import type { ContractNode, ContractRef } from "../fields/config-nodes.ts";
import { contractsAt } from "./contract-registry.ts";

/** A contract that is set up in this Node-RED, so that its ABI need not come from elsewhere. */
export type DeployedContract = { name: string; abi: Abi };

type ContractPlace = Pick<ContractRef, "chainSelector" | "address">;

/** How the amounts of a contract are counted: as its nodes say. */
export type Units = { decimals: number; amounts: readonly string[] };

/**
 * The deployed contract nodes of an address whose ABI can be read. There may be several: one for each standard that
 * the contract follows, or one with what another one lacks. Those that know the contract's decimals come first.
 */
export async function deployedContracts(
  RED: NodeAPI,
  chainSelector: string,
  address: string,
): Promise<DeployedContract[]> {
  const found = contractsAt(RED, chainSelector, address);
  const isToken = ({ contract }: ContractNode) => contract.decimals !== undefined;
  const contracts: DeployedContract[] = [];
  for (const { name, contract } of [...found.filter(isToken), ...found.filter((one) => !isToken(one))]) {
    const abi = await contract.abi().catch(() => undefined);
    if (abi) contracts.push({ name: name || contract.address, abi });
  }
  return contracts;
}

/**
 * The decimals of an address, and the names of its amounts. Undefined where no contract node has decimals, and where
 * two of them differ: a wrong amount is worse than none.
 *
 * @param chosen the contract of a form, whose decimals come first where it is the one at this address
 */
export function unitsAt(
  RED: NodeAPI,
  chainSelector: string,
  address: string,
  chosen?: ContractPlace & Pick<ContractRef, "decimals" | "amounts">,
): Units | undefined {
  if (chosen?.decimals !== undefined && isAt(chosen, chainSelector, address)) {
    return { decimals: chosen.decimals, amounts: chosen.amounts };
  }
  const contracts = contractsAt(RED, chainSelector, address).map(({ contract }) => contract);
  const [decimals, ...others] = new Set(contracts.flatMap((one) => one.decimals ?? []));
  if (decimals === undefined || others.length > 0) return undefined;
  return { decimals, amounts: contracts.flatMap(({ amounts }) => amounts) };
}

/** Whether this is the contract at an address: the same address can be another contract on another network. */
export function isAt(contract: ContractPlace, chainSelector: string, address: string): boolean {
  return contract.chainSelector === chainSelector && contract.address.toLowerCase() === address.toLowerCase();
}
