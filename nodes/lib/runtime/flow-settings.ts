import type { Node, NodeAPI } from "node-red";

/** The value of a field as the flow stores it, before Node-RED replaces variables. */
export function storedValue(RED: NodeAPI, id: string, field: string): unknown {
  let found: unknown;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field];
  });
  return found;
}

/** Whether a node is in the flows and does not run, because a person has disabled it, or what it is in. */
export function isDisabled(RED: NodeAPI, node: Pick<Node, "id">): boolean {
  const { id, _alias: alias } = node as { id: string; _alias?: string };
  const stored = new Map<string, { id: string; z?: string; d?: boolean; disabled?: boolean }>();
  RED.nodes.eachNode((one) => stored.set(one.id, one as typeof one & { d?: boolean }));
  return [...stored.values()].some((one) => {
    const isOn = one.id !== id && one.id !== alias && !id.startsWith(`${one.id}-`);
    return !isOn && (one.d === true || stored.get(one.z ?? "")?.disabled === true);
  });
}

/**
 * Whether a node is still in the flows. A disabled node is closed like a removed one, but resumes with the same state
 * when it is enabled. In a subflow, the flows have its instance and the node that it was made from.
 */
export function isInFlows(RED: NodeAPI, node: Node): boolean {
  const { id, _alias: alias } = node as Node & { _alias?: string };
  let [isItself, isMade, hasInstance] = [false, false, false];
  RED.nodes.eachNode((one) => {
    isItself ||= one.id === id;
    isMade ||= one.id === alias;
    hasInstance ||= one.type.startsWith("subflow:") && id.startsWith(`${one.id}-`);
  });
  return isItself || (isMade && hasInstance);
}
