import type { Node, NodeAPI, NodeDef } from "node-red";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import { typeWords } from "../../../nodes/common/telemetry/origin.ts";
import { FIELD_TABLES } from "./field-tables.ts";
import type { NodeEntry } from "./report.ts";
import { showValue, type Treatment, treatmentOf } from "./shown-fields.ts";
import type { Status } from "./statuses-and-errors.ts";

/** A node as it is stored in the flows. */
type StoredNode = NodeDef & { label?: unknown; d?: unknown; [field: string]: unknown };

/** What is deployed, with a label for each node of ours that names no person. */
type Deployed = {
  nodes: StoredNode[];
  /** Of a stored or a running node; undefined for one that is not deployed. */
  labelOf: (id: string) => string | undefined;
  /** All that people have entered as free text, so that no text shows it. */
  entered: string[];
};

/** What may be in such a field is never shown. */
const ENTERED: readonly Treatment[] = ["none", "length", "count", "address"];
/** Config nodes of Node-RED that ours refer to. */
const OTHERS = ["tls-config", "http proxy"];
/** Such as an ABI. It is not part of a sentence. */
const LONGEST_ENTERED = 200;

export function deployed(runtime: NodeAPI["nodes"]): Deployed {
  const all: StoredNode[] = [];
  runtime.eachNode((node) => {
    all.push(node as StoredNode);
  });
  const nodes = all.filter(isOurs);
  const labels = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { id, type } of all.filter((node) => isOurs(node) || OTHERS.includes(node.type))) {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    labels.set(id, `${typeWords(type)} #${count}`);
  }
  const labelOf = (id: string) => labels.get(id) ?? labels.get(templateOf(runtime, id) ?? "");
  return {
    nodes,
    labelOf,
    entered: [
      ...all.flatMap(namesOf),
      ...nodes.flatMap((node) => enteredIn(runtime, node)),
      ...Object.entries(process.env).flatMap(([name, value = ""]) =>
        name.startsWith("CREC_API_KEY") ? [value] : [],
      ),
    ],
  };
}

/** Of a running node in a subflow: the id of the node that it was made from. */
function templateOf(runtime: NodeAPI["nodes"], id: string): string | undefined {
  return (runtime.getNode(id) as (Node & { _alias?: string }) | null)?._alias;
}

function isOurs({ type }: StoredNode): boolean {
  return FIELD_TABLES.has(type);
}

function namesOf({ name, label }: StoredNode): string[] {
  return [name, label].filter((one): one is string => typeof one === "string");
}

function enteredIn(runtime: NodeAPI["nodes"], node: StoredNode): string[] {
  const fields = Object.entries(FIELD_TABLES.get(node.type)?.fields ?? {});
  const texts = fields.flatMap(([name, field]) =>
    ENTERED.includes(treatmentOf(node.type, name, field)) ? textsIn(node[name]) : [],
  );
  const secrets = textsIn(runtime.getCredentials(node.id));
  const written = [...texts, ...secrets];
  return [
    ...written,
    ...written.filter(isReference).map((text) => process.env[text.slice(2, -1)] ?? ""),
  ].filter(({ length }) => length <= LONGEST_ENTERED);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** An id as the editor makes it. One that was written by hand can say anything. */
const EDITOR_ID = /^[0-9a-f]{8}(?:[0-9a-f]{8}|\.[0-9a-f]{5,8})$/;
const COLORS = ["red", "green", "yellow", "blue", "grey"];

/** The deployed nodes of ours. Those with a problem come first: the end of a long list is left out. */
export function nodeEntries(
  runtime: NodeAPI["nodes"],
  { nodes, labelOf }: Deployed,
  statuses: ReadonlyMap<string, Status>,
  redact: (text: string) => string,
): NodeEntry[] {
  // The status of a node in a subflow is that of its last instance.
  const byNode = new Map([...statuses].map(([id, status]) => [templateOf(runtime, id) ?? id, status]));
  const entries = nodes.map((node) => ({
    label: labelOf(node.id) ?? "",
    ...(EDITOR_ID.test(node.id) ? { id: node.id } : {}),
    ...(node.d === true ? { isDisabled: true as const } : {}),
    settings: settingsOf(runtime, node, labelOf),
    ...statusOf(byNode.get(node.id), redact),
  }));
  return [...entries.filter(hasProblem), ...entries.filter((entry) => !hasProblem(entry))];
}

function hasProblem({ status }: NodeEntry): boolean {
  return status?.color === "red";
}

function settingsOf(
  runtime: NodeAPI["nodes"],
  node: StoredNode,
  labelOf: Deployed["labelOf"],
): NodeEntry["settings"] {
  const credentials = (runtime.getCredentials(node.id) ?? {}) as Record<string, unknown>;
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
