import type { Node, NodeAPI } from "node-red";

/** A text of the catalogs, in the language of this Node-RED. */
export type Translate = (key: string, words?: Record<string, string | number>) => string;

/** Node-RED, with the texts of the catalogs: what code gets that belongs to no single node. */
export type NodeRedContext = { readonly RED: NodeAPI; readonly t: Translate };

/** What the code of one node works with, from its start until it is closed. */
export type NodeContext<T extends Node = Node> = NodeRedContext & {
  readonly node: T;
  /** Aborted when the node is closed, by a deploy or with Node-RED. */
  readonly closed: AbortSignal;
};

/** The context of what belongs to no single node, such as an endpoint for the editor. */
export function nodeRedContext(RED: NodeAPI): NodeRedContext {
  return { RED, t: (key, words) => (words === undefined ? RED._(key) : RED._(key, words)) };
}

/** The context of a node that has just been created. */
export function nodeContext<T extends Node>(RED: NodeAPI, node: T): NodeContext<T> {
  const closing = new AbortController();
  node.on("close", () => closing.abort());
  return { ...nodeRedContext(RED), node, closed: closing.signal };
}
