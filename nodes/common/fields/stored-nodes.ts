import type { Node } from "node-red";
import type { FlowNodes } from "./flow-settings.ts";

/** The running nodes of a type. What a node of another version does not have is missing. */
export function storedNodes<T extends Node>(nodes: FlowNodes, type: string): Array<Partial<T>> {
  const found: Array<Partial<T>> = [];
  nodes.eachNode((stored) => {
    const node = stored.type === type ? (nodes.getNode(stored.id) as Partial<T> | null) : null;
    if (node) found.push(node);
  });
  return found;
}
