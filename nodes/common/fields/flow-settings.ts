import type { Node, NodeAPI } from "node-red";

/** The nodes of the flows: as they are stored, and those that run. */
export type FlowNodes = Pick<NodeAPI["nodes"], "eachNode" | "getNode">;

/** The value of a field as the flow stores it, before Node-RED replaces variables. */
export function storedValue(nodes: FlowNodes, id: string, field: string): unknown {
  let found: unknown;
  nodes.eachNode((node) => {
    if (node.id === id) found = (node as unknown as Record<string, unknown>)[field];
  });
  return found;
}

/** Whether a node is in the flows and does not run, because a person has disabled it, or what it is in. */
export function isDisabled(nodes: FlowNodes, node: Pick<Node, "id">): boolean {
  const { id, _alias: alias } = node as { id: string; _alias?: string };
  const stored = new Map<string, { id: string; z?: string; d?: boolean; disabled?: boolean }>();
  nodes.eachNode((one) => stored.set(one.id, one as typeof one & { d?: boolean }));
  return [...stored.values()].some((one) => {
    const isOn = one.id !== id && one.id !== alias && !id.startsWith(`${one.id}-`);
    return !isOn && (one.d === true || stored.get(one.z ?? "")?.disabled === true);
  });
}

/** Of a chosen config node: how people call it, and where it is disabled: itself, or the tab of this name. */
type ChosenNode = { label: string; isDisabled: boolean; disabledTab: string | undefined };

/** What the flows store of a config node that a node refers to; undefined where they do not have it. */
export function chosenNode(nodes: FlowNodes, id: string): ChosenNode | undefined {
  type Stored = {
    id: string;
    type: string;
    z?: string;
    d?: boolean;
    disabled?: boolean;
    label?: string;
    name?: string;
  };
  const stored: Stored[] = [];
  nodes.eachNode((one) => stored.push(one as Stored));
  // Within a subflow, the id of the instance is in front of it.
  const found = stored.find((one) => one.id === id) ?? stored.find((one) => id.endsWith(`-${one.id}`));
  if (!found) return undefined;
  const tab = stored.find((one) => one.id === found.z && one.disabled === true);
  const disabledTab = tab && (tab.label || tab.id);
  return { label: found.name || found.id, isDisabled: found.d === true, disabledTab };
}

/**
 * Whether a node is still in the flows. A disabled node is closed like a removed one, but resumes with the same state
 * when it is enabled. In a subflow, the flows have its instance and the node that it was made from.
 */
export function isInFlows(nodes: FlowNodes, node: Node): boolean {
  const { id, _alias: alias } = node as Node & { _alias?: string };
  let [isItself, isMade, hasInstance] = [false, false, false];
  nodes.eachNode((one) => {
    isItself ||= one.id === id;
    isMade ||= one.id === alias;
    hasInstance ||= one.type.startsWith("subflow:") && id.startsWith(`${one.id}-`);
  });
  return isItself || (isMade && hasInstance);
}

/** The running nodes of a type. What a node of another version does not have is missing. */
export function storedNodes<T extends Node>(nodes: FlowNodes, type: string): Array<Partial<T>> {
  const found: Array<Partial<T>> = [];
  nodes.eachNode((stored) => {
    const node = stored.type === type ? (nodes.getNode(stored.id) as Partial<T> | null) : null;
    if (node) found.push(node);
  });
  return found;
}
