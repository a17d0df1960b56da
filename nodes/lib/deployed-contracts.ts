import type { Node, NodeAPI } from "node-red";
import type { Abi } from "../../src/index.ts";
import type { ContractNode } from "./config-nodes.ts";

/** A contract that somebody has set up in this Node-RED: its own word about itself is not needed. */
export type DeployedContract = { name: string; abi: Abi };

/** The deployed contract node of an address, where there is one whose ABI can be read. */
export async function deployedContract(
  RED: NodeAPI,
  chainSelector: string,
  address: string,
): Promise<DeployedContract | undefined> {
  const found: Array<Node & Partial<ContractNode>> = [];
  RED.nodes.eachNode(({ id, type }) => {
    const node = type === "crec-contract" ? (RED.nodes.getNode(id) as ContractNode | null) : null;
    if (node) found.push(node);
  });
  for (const { name, contract } of found) {
    if (!contract || contract.problem || contract.chainSelector !== chainSelector) continue;
    if (contract.address.toLowerCase() !== address.toLowerCase()) continue;
    const abi = await contract.abi().catch(() => undefined);
    if (abi) return { name: name || contract.address, abi };
  }
  return undefined;
}
