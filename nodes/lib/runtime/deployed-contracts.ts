import type { Node, NodeAPI } from "node-red";
import type { Abi } from "../../../src/index.ts";
import type { ContractNode } from "./config-nodes.ts";

/** A contract that is set up in this Node-RED, so that its ABI need not come from elsewhere. */
export type DeployedContract = { name: string; abi: Abi; decimals: number | undefined };

/**
 * The deployed contract nodes of an address whose ABI can be read. There may be several: one for each standard that
 * the contract follows, or one with what another one lacks. Those that know the contract's decimals come first.
 */
export async function deployedContracts(
  RED: NodeAPI,
  chainSelector: string,
  address: string,
): Promise<DeployedContract[]> {
  const found: Array<Node & Partial<ContractNode>> = [];
  RED.nodes.eachNode(({ id, type }) => {
    const node = type === "crec-contract" ? (RED.nodes.getNode(id) as ContractNode | null) : null;
    if (node) found.push(node);
  });
  const contracts: DeployedContract[] = [];
  for (const { name, contract } of found) {
    if (!contract || contract.problem || contract.chainSelector !== chainSelector) continue;
    if (contract.address.toLowerCase() !== address.toLowerCase()) continue;
    const abi = await contract.abi().catch(() => undefined);
    if (abi) contracts.push({ name: name || contract.address, abi, decimals: contract.decimals });
  }
  const isToken = ({ decimals }: DeployedContract) => decimals !== undefined;
  return [...contracts.filter(isToken), ...contracts.filter((one) => !isToken(one))];
}
