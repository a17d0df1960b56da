import type { Node } from "node-red";
import type { NodeContext } from "../context.ts";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { showStatus, statusText } from "./status.ts";

const READER = "crec-reader";

type Wired = Node & { wires?: string[][] };

/** Whether the reader before a node has stopped: the node gets nothing, and would look as if nothing happened. */
export function onReader(node: Node, listener: (isStopped: boolean) => void): void {
  (node as NodeJS.EventEmitter).on(READER, listener);
}

/** Shows it as the status of a node that has no other until it gets a message. */
export function showReader({ node, t }: Pick<NodeContext, "node" | "t">): void {
  onReader(node, (isStopped) => {
    if (isStopped) showStatus(node, "waiting", statusText(t, "common.status.reader-stopped"));
    else node.status({});
  });
}

/** Tells all nodes that are wired behind a reader. */
export function tellBehind(nodes: FlowNodes, reader: Node, isStopped: boolean): void {
  const wiresOf = (node: Wired) => (node.wires ?? []).flat();
  const ids = new Set(wiresOf(reader));
  for (const id of ids) {
    const node = nodes.getNode(id) as Wired | null;
    if (!node || node === reader) continue;
    for (const next of wiresOf(node)) ids.add(next);
    (node as NodeJS.EventEmitter).emit(READER, isStopped);
  }
}
