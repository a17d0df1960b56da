import type { NodeAPI } from "node-red";
import type {
  ChannelNode,
  ConnectionNode,
  ContractNode,
  SignerNode,
  WalletNode,
} from "../../../nodes/common/fields/config-nodes.ts";
import type { FleetNode } from "../../../nodes/common/fleet/fleet.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import type { Problem } from "../../../nodes/common/telemetry/types.ts";

type Running = Partial<ConnectionNode & SignerNode & ContractNode & ChannelNode & WalletNode & FleetNode>;

/** Those that others depend on come first: the same problem is said once. */
const TYPES = ["connection", "signer", "contract", "fleet", "channel", "wallet"] as const;

/** What is wrong with the settings of config nodes that are in use, by its sentence. */
export function configProblems(
  RED: NodeAPI,
  flows: Flows,
): Map<string, { node: FlowNode; problem: Problem }> {
  const found = new Map<string, { node: FlowNode; problem: Problem }>();
  for (const type of TYPES) {
    for (const node of flows.ofType(`crec-${type}`)) {
      const problem = (RED.nodes.getNode(node.id) as Running | null)?.[type]?.problem;
      if (problem && !found.has(problem.message)) found.set(problem.message, { node, problem });
    }
  }
  return found;
}
