/**
 * The name of a node as its flow shows it. Node-RED tells of a node without a name only its type, such as
 * `events in`; the editor shows it as `Transfer · quickstart`.
 *
 * @param label as Node-RED sent it
 */
export function nodeName(id: string, label: string): string {
  const node = RED.nodes.node(id);
  if (!node || (node.name ?? "") !== "") return label;
  return RED.utils.getNodeLabel(node, label) || label;
}
