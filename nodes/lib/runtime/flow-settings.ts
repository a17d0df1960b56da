import type { NodeAPI } from "node-red";

/** The value of a field as the flow stores it, before Node-RED replaces variables. */
export function storedValue(RED: NodeAPI, id: string, field: string): unknown {
  let found: unknown;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field];
  });
  return found;
}

/** A disabled node is closed like a removed one, but resumes with the same state when it is enabled. */
export function isInFlows(RED: NodeAPI, nodeId: string): boolean {
  let found = false;
  RED.nodes.eachNode(({ id }) => {
    found ||= id === nodeId;
  });
  return found;
}
