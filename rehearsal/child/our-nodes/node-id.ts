import type { Node } from "node-red";

/** The id that the report uses: of a node in a subflow, that of the subflow's own node. */
export function idInFlow(node: Node): string {
  const { _alias: id = node.id } = node as Node & { _alias?: string };
  return id;
}
