import type { NodeAPI } from "node-red";

// The parts of Node-RED's runtime that a rehearsal uses, beyond what its types describe. The same in 4.1 and 5.

/** A node that runs. In a subflow, each use of it has nodes with ids of their own, and `_alias` is the id in the flow. */
export type RunningNode = {
  id: string;
  type: string;
  z?: string;
  name?: string;
  _alias?: string;
  _flow?: RunningFlow;
  _expectedDoneCount?: number;
  wires: string[][];
  send(msg: unknown): void;
};

/** The tab or the use of a subflow that a node runs in. */
type RunningFlow = {
  subflowInstance?: { id: string; _alias?: string; wires?: string[][] };
  subflowDef?: { out?: Array<{ wires: Array<{ id: string; port: number }> }> };
};

export type Message = Record<string | symbol, unknown>;

export type SendEvent = {
  msg: Message;
  source: { id: string; node: RunningNode; port: number };
  destination: { id: string; node?: RunningNode };
};

export type Delivery = { msg: Message; destination: { id: string; node: RunningNode } };

export type Completion = { msg: Message; node: { id: string; node: RunningNode } };

/** The class that all nodes extend. */
export type NodeClass = {
  prototype: {
    updateWires(this: RunningNode, wires: string[][]): void;
    error(this: RunningNode, message: unknown, msg?: Message): void;
  };
};

export type NodeType = (this: never, config: never) => void;

/** `@node-red/util`. */
export type Util = {
  init(settings: object): void;
  i18n: { registerMessageCatalog(namespace: string, folder: string, file: string): Promise<void> };
};

/** `@node-red/registry`. */
export type Registry = {
  get(type: string): NodeType | undefined;
  getNodeInfo(type: string): { module?: string } | null;
};

/** The runtime as its parts know it. */
type InnerRuntime = {
  flows: {
    setFlows(
      flows: unknown,
      credentials: null,
      type: string,
      muteLog: boolean,
      forceStart: boolean,
    ): Promise<unknown>;
    stopFlows(): Promise<void>;
  };
  nodes: { getContext(id: string, flow?: string): { set(key: string, value: unknown): void } };
};

export type Runtime = {
  init(settings: object): void;
  start(): Promise<void>;
  events: NodeAPI["events"];
  hooks: NodeAPI["hooks"];
  _: InnerRuntime;
};

/** The id that a node has in the flow: of one in a subflow, that of the subflow's own node. */
export function idInFlow(node: Pick<RunningNode, "id" | "type">): string {
  const { id, type, _alias: alias, _flow: flow } = node as RunningNode;
  if (alias !== undefined) return alias;
  return type.startsWith("subflow:") ? (flow?.subflowInstance?._alias ?? id) : id;
}
