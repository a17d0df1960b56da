import type { NodeAPI } from "node-red";
import type { Abi } from "../../../src/index.ts";
import type { ContractNode, ContractRef } from "../fields/config-nodes.ts";

/** Each node's file is bundled alone, so what they share is kept at an object that Node-RED shares. */
const CONTRACTS = Symbol.for("node-red-crec.contracts");

/** The running contract nodes, by network and address. */
export type ContractRegistry = Map<string, Set<ContractNode>>;
type Shared = { [CONTRACTS]?: ContractRegistry };

/** A contract that is set up in this Node-RED, so that its ABI need not come from elsewhere. */
export type DeployedContract = { name: string; abi: Abi };

type ContractPlace = Pick<ContractRef, "chainSelector" | "address">;

/** How the amounts of a contract are counted: as its nodes say. */
export type Units = { decimals: number; amounts: readonly string[] };

/** The contract nodes of this Node-RED. */
export function contractRegistry({ events }: Pick<NodeAPI, "events">): ContractRegistry {
  const shared = events as Shared;
  shared[CONTRACTS] ??= new Map();
  return shared[CONTRACTS];
}

/**
 * Makes a contract node findable by its address. Gives the function that removes it, for its close: a contract can be
 * deployed alone, while the nodes that look it up continue.
 */
export function registerContract(registry: ContractRegistry, node: ContractNode): () => void {
  const { chainSelector, address } = node.contract;
  const key = keyOf(chainSelector, address);
  const sameAddress = registry.get(key) ?? new Set();
  registry.set(key, sameAddress.add(node));
  return () => {
    sameAddress.delete(node);
    if (sameAddress.size === 0 && registry.get(key) === sameAddress) registry.delete(key);
  };
}

/** The running contract nodes of an address whose settings are valid. Fast enough for each event. */
export function contractsAt(
  registry: ContractRegistry,
  chainSelector: string,
  address: string,
): ContractNode[] {
  const found = registry.get(keyOf(chainSelector, address)) ?? [];
  return [...found].filter(({ contract }) => contract.problem === undefined);
}

/**
 * The deployed contract nodes of an address whose ABI can be read. There may be several: one for each standard that
 * the contract follows, or one with what another one lacks. Those that know the contract's decimals come first.
 */
export async function deployedContracts(
  registry: ContractRegistry,
  chainSelector: string,
  address: string,
): Promise<DeployedContract[]> {
  const found = contractsAt(registry, chainSelector, address);
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
  registry: ContractRegistry,
  chainSelector: string,
  address: string,
  chosen?: ContractPlace & Pick<ContractRef, "decimals" | "amounts">,
): Units | undefined {
  if (chosen?.decimals !== undefined && isAt(chosen, chainSelector, address)) {
    return { decimals: chosen.decimals, amounts: chosen.amounts };
  }
  const contracts = contractsAt(registry, chainSelector, address).map(({ contract }) => contract);
  const [decimals, ...others] = new Set(contracts.flatMap((one) => one.decimals ?? []));
  if (decimals === undefined || others.length > 0) return undefined;
  return { decimals, amounts: contracts.flatMap(({ amounts }) => amounts) };
}

/** Whether this is the contract at an address: the same address can be another contract on another network. */
export function isAt(contract: ContractPlace, chainSelector: string, address: string): boolean {
  return contract.chainSelector === chainSelector && contract.address.toLowerCase() === address.toLowerCase();
}

function keyOf(chainSelector: string, address: string): string {
  return `${chainSelector} ${address.toLowerCase()}`;
}
