import type { Node, NodeAPI } from "node-red";

/** The running nodes of a type. What a node of another version does not have is missing. */
export function storedNodes<T extends Node>(RED: NodeAPI, type: string): Array<Partial<T>> {
  const found: Array<Partial<T>> = [];
  RED.nodes.eachNode((stored) => {
    const node = stored.type === type ? (RED.nodes.getNode(stored.id) as Partial<T> | null) : null;
    if (node) found.push(node);
  });
  return found;
}
