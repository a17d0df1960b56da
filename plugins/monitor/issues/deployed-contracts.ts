import type { NodeAPI } from "node-red";
import type { Connection, ContractNode, ContractRef } from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { connectionOf } from "./settings.ts";

/** A contract node, with a connection by which nodes use it. */
type UsedContract = {
  node: FlowNode;
  contract: ContractRef;
  connection: Connection;
  /** Of the channel or connection: a config node that queries can use. */
  connectionId: string;
};

/** The contracts in use, once for each connection. Those with incomplete settings are left out. */
export function deployedContracts(RED: NodeAPI, flows: Flows): UsedContract[] {
  const found = new Map<string, UsedContract>();
  const note = (node: FlowNode, user: FlowNode) => {
    const contract = (RED.nodes.getNode(node.id) as Partial<ContractNode> | null)?.contract;
    const connection = connectionOf(RED, user);
    const connectionId = connectionIdOf(flows, user);
    if (!contract || contract.problem || !connection || connection.problem || !connectionId) return;
    found.set(`${node.id} ${connectionId}`, { node, contract, connection, connectionId });
  };
  const contracts = new Map(flows.ofType("crec-contract").map((node) => [node.id, node]));
  for (const user of flows.all()) {
    if (!user.type.startsWith("crec-") || user.type === "crec-contract") continue;
    for (const id of contractsOf(user)) {
      const node = contracts.get(id);
      if (node) note(node, user);
    }
  }
  return [...found.values()];
}

function contractsOf({ contract, calls }: FlowNode): Set<string> {
  const called = Array.isArray(calls)
    ? calls.map((call: unknown) => (call as FlowNode | null)?.contract)
    : [];
  return new Set([contract, ...called].filter((id) => typeof id === "string"));
}

function connectionIdOf(flows: Flows, user: FlowNode): string | undefined {
  const by = flows.get(user.channel) ?? flows.get(user.wallet) ?? user;
  return flows.get(by.connection)?.id;
}
