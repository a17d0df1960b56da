import type { NodeAPI } from "node-red";

/** What stands in a field of the flow itself, before Node-RED has put variables in. */
export function storedValue(RED: NodeAPI, id: string, field: string): unknown {
  let found: unknown;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field];
  });
  return found;
}
