import type { NodeAPI } from "node-red";
import type { ContractNode } from "../fields/config-nodes.ts";

/** Each node's file is bundled alone, so what they share is kept at an object that Node-RED shares. */
const CONTRACTS = Symbol.for("node-red-crec.contracts");

type Registry = Map<string, Set<ContractNode>>;
type Shared = { [CONTRACTS]?: Registry };

/**
 * Makes a contract node findable by its address. Gives the function that removes it, for its close: a contract can be
 * deployed alone, while the nodes that look it up continue.
 */
export function registerContract(RED: NodeAPI, node: ContractNode): () => void {
  const { chainSelector, address } = node.contract;
  const registry = registryOf(RED);
  const key = keyOf(chainSelector, address);
  const sameAddress = registry.get(key) ?? new Set();
  registry.set(key, sameAddress.add(node));
  return () => {
    sameAddress.delete(node);
    if (sameAddress.size === 0 && registry.get(key) === sameAddress) registry.delete(key);
  };
}

/** The running contract nodes of an address whose settings are valid. Fast enough for each event. */
export function contractsAt(RED: NodeAPI, chainSelector: string, address: string): ContractNode[] {
  const found = registryOf(RED).get(keyOf(chainSelector, address)) ?? [];
  return [...found].filter(({ contract }) => contract.problem === undefined);
}

function registryOf({ events }: NodeAPI): Registry {
  const shared = events as Shared;
  shared[CONTRACTS] ??= new Map();
  return shared[CONTRACTS];
}

function keyOf(chainSelector: string, address: string): string {
  return `${chainSelector} ${address.toLowerCase()}`;
}
