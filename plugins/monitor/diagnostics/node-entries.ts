import type { NodeAPI } from "node-red";
import { type Deployed, type StoredNode, templateOf } from "./deployed.ts";
import { FIELD_TABLES } from "./field-tables.ts";
import { showValue } from "./show-value.ts";
import { treatmentOf } from "./shown-fields.ts";
import type { Status } from "./statuses.ts";
import type { NodeEntry } from "./types.ts";

/** An id as the editor makes it. One that was written by hand can say anything. */
const EDITOR_ID = /^[0-9a-f]{8}(?:[0-9a-f]{8}|\.[0-9a-f]{5,8})$/;
const COLORS = ["red", "green", "yellow", "blue", "grey"];

/** The deployed nodes of ours. Those with a problem come first: the end of a long list is left out. */
export function nodeEntries(
  RED: NodeAPI,
  { nodes, labelOf }: Deployed,
  statuses: ReadonlyMap<string, Status>,
  redact: (text: string) => string,
): NodeEntry[] {
  // The status of a node in a subflow is that of its last instance.
  const byNode = new Map([...statuses].map(([id, status]) => [templateOf(RED, id) ?? id, status]));
  const entries = nodes.map((node) => ({
    label: labelOf(node.id) ?? "",
    ...(EDITOR_ID.test(node.id) ? { id: node.id } : {}),
    ...(node.d === true ? { isDisabled: true as const } : {}),
    settings: settingsOf(RED, node, labelOf),
    ...statusOf(byNode.get(node.id), redact),
  }));
  return [...entries.filter(hasProblem), ...entries.filter((entry) => !hasProblem(entry))];
}

function hasProblem({ status }: NodeEntry): boolean {
  return status?.color === "red";
}

function settingsOf(RED: NodeAPI, node: StoredNode, labelOf: Deployed["labelOf"]): NodeEntry["settings"] {
  const credentials = (RED.nodes.getCredentials(node.id) ?? {}) as Record<string, unknown>;
  const settings: NodeEntry["settings"] = {};
  for (const [name, field] of Object.entries(FIELD_TABLES.get(node.type)?.fields ?? {})) {
    const treatment = treatmentOf(node.type, name, field);
    const value = treatment === "credential" ? credentials[name] : node[name];
    const shown = showValue(treatment, { field, value, type: node[`${name}Type`], labelOf });
    // Most fields of most nodes are empty.
    if (shown !== undefined && shown !== "(empty)") settings[name] = shown;
  }
  return settings;
}

function statusOf(status: Status | undefined, redact: (text: string) => string): Pick<NodeEntry, "status"> {
  if (!status) return {};
  const { fill = "", text } = status;
  return { status: { color: COLORS.includes(fill) ? fill : "other", text: redact(String(text ?? "")) } };
}
