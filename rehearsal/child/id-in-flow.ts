import type { RunningNode } from "./runtime-types.ts";

/** The id that a node has in the flow: of one in a subflow, that of the subflow's own node. */
export function idInFlow(node: Pick<RunningNode, "id" | "type">): string {
  const { id, type, _alias: alias, _flow: flow } = node as RunningNode;
  if (alias !== undefined) return alias;
  return type.startsWith("subflow:") ? (flow?.subflowInstance?._alias ?? id) : id;
}
