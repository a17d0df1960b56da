/** What a node is called in its flow. A person may have removed it since the rehearsal: then as the report has it. */
export function nodeName(id: string, reported?: { name: string; type: string }): string {
  const node = RED.nodes.node(id);
  if (node) return RED.utils.getNodeLabel(node, node.type);
  return reported?.name || reported?.type || id;
}

/** Shows a node in the middle of its flow. */
export function revealNode(id: string): void {
  if (RED.nodes.node(id)) RED.view.reveal(id);
}
