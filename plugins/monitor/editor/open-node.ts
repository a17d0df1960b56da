import { say } from "./say.ts";
import { word } from "./words.ts";

export function isInEditor(id: string): boolean {
  return RED.nodes.node(id) !== null && RED.nodes.node(id) !== undefined;
}

/** Shows a node in its flow; of a config node, which has no place in a flow, its form. */
export function showNode(id: string): void {
  const node = RED.nodes.node(id);
  if (!node || isConfig(node)) {
    openForm(id);
    return;
  }
  RED.view.reveal(id);
  RED.view.select({ nodes: [node] });
}

export function openForm(id: string): void {
  const node = RED.nodes.node(id);
  if (!node) say(word("error.no-node"), "warning");
  else if (RED.editor.getEditStack().length > 0) say(word("error.form-open"), "warning");
  else if (isConfig(node)) RED.editor.editConfig("", node.type, id);
  else RED.editor.edit(node);
}

function isConfig(node: object): boolean {
  return (node as { _def?: { category?: string } })._def?.category === "config";
}
