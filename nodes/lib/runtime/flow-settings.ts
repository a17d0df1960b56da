import type { NodeAPI } from "node-red";

/** The value of a field as the flow stores it, before Node-RED replaces variables. */
export function storedValue(RED: NodeAPI, id: string, field: string): unknown {
  let found: unknown;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field];
  });
  return found;
}
