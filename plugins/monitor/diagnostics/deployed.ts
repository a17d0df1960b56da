import type { Node, NodeAPI, NodeDef } from "node-red";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import { typeWords } from "../../../nodes/common/telemetry/origin.ts";
import { FIELD_TABLES } from "./field-tables.ts";
import type { Treatment } from "./show-value.ts";
import { treatmentOf } from "./shown-fields.ts";

/** A node as it is stored in the flows. */
export type StoredNode = NodeDef & { label?: unknown; d?: unknown; [field: string]: unknown };

/** What is deployed, with a label for each node of ours that names no person. */
export type Deployed = {
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

export function deployed(RED: NodeAPI): Deployed {
  const all: StoredNode[] = [];
  RED.nodes.eachNode((node) => {
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
  const labelOf = (id: string) => labels.get(id) ?? labels.get(templateOf(RED, id) ?? "");
  return {
    nodes,
    labelOf,
    entered: [
      ...all.flatMap(namesOf),
      ...nodes.flatMap((node) => enteredIn(RED, node)),
      ...Object.entries(process.env).flatMap(([name, value = ""]) =>
        name.startsWith("CREC_API_KEY") ? [value] : [],
      ),
    ],
  };
}

/** Of a running node in a subflow: the id of the node that it was made from. */
export function templateOf(RED: NodeAPI, id: string): string | undefined {
  return (RED.nodes.getNode(id) as (Node & { _alias?: string }) | null)?._alias;
}

function isOurs({ type }: StoredNode): boolean {
  return FIELD_TABLES.has(type);
}

function namesOf({ name, label }: StoredNode): string[] {
  return [name, label].filter((one): one is string => typeof one === "string");
}

function enteredIn(RED: NodeAPI, node: StoredNode): string[] {
  const fields = Object.entries(FIELD_TABLES.get(node.type)?.fields ?? {});
  const texts = fields.flatMap(([name, field]) =>
    ENTERED.includes(treatmentOf(node.type, name, field)) ? textsIn(node[name]) : [],
  );
  const secrets = textsIn(RED.nodes.getCredentials(node.id));
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
