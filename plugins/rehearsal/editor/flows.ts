import type { FlowNode } from "../../../rehearsal/shared/job.ts";

/** All that the editor has, also what is not deployed. Without credentials. */
export function editorFlows(): FlowNode[] {
  return RED.nodes.createCompleteNodeSet({ credentials: false });
}

/** The flows as a text that is the same as long as they do the same: places and sizes are not in it. */
export function flowsPrint(flows: readonly FlowNode[]): string {
  const looks = new Set(["x", "y", "w", "h", "g", "info", "inputLabels", "outputLabels", "icon"]);
  const nodes = flows.filter(({ type }) => type !== "group" && type !== "comment");
  return JSON.stringify(nodes, (key, value) => (looks.has(key) ? undefined : value));
}

type Tab = { id: string; label: string; isDisabled: boolean };

export function tabsOf(flows: readonly FlowNode[]): Tab[] {
  return flows
    .filter(({ type }) => type === "tab")
    .map(({ id, label, disabled }) => ({ id, label: String(label ?? id), isDisabled: disabled === true }));
}

/** The tabs to which link nodes of these tabs lead, or from which they come. */
export function linkedTabs(flows: readonly FlowNode[], chosen: ReadonlySet<string>): Set<string> {
  const tabOf = new Map(flows.map(({ id, z }) => [id, z ?? ""]));
  const pairs = flows.flatMap(({ id, links }) =>
    Array.isArray(links)
      ? links.map((other: unknown) => [tabOf.get(id), tabOf.get(String(other))] as const)
      : [],
  );
  const found = new Set(chosen);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [one, other] of pairs) {
      if (one && other && found.has(one)) found.add(other);
      if (one && other && found.has(other)) found.add(one);
    }
  }
  const tabs = new Set(tabsOf(flows).map(({ id }) => id));
  return new Set([...found].filter((id) => tabs.has(id) && !chosen.has(id)));
}

const OWN = new Set(["node-red", "@crec-nodes/node-red-crec"]);

/** The palettes of others that have nodes in the flows. */
export function foreignModules(flows: readonly FlowNode[]): string[] {
  const modules = flows.map(({ type }) => RED.nodes.registry.getNodeSetForType(type)?.module);
  return [...new Set(modules)].filter((name) => name !== undefined && !OWN.has(name)).sort() as string[];
}

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
