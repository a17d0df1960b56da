/** A node as the editor exports it: a tab, a subflow, a config node or a node of a flow. Without credentials. */
export type FlowNode = {
  id: string;
  type: string;
  /** The tab or subflow that it is on. */
  z?: string;
  name?: string;
  wires?: string[][];
  [property: string]: unknown;
};
