import { join } from "node:path";
import { defaultsOf, isConfig } from "../../../nodes/common/build/registration.ts";
import { credentialsOf, shortName } from "../../../nodes/common/shared/field-rules.ts";
import type { Field, NodeDescription } from "../../../nodes/common/shared/fields.ts";
import { FIELD_TABLES } from "../../../plugins/monitor/diagnostics/field-tables.ts";
import { root } from "../paths.mjs";
import { readJson } from "../read-json.mjs";

/** What a flow stores of each node, and its outputs, from the field tables. */
export async function nodesReport(): Promise<Record<string, string>> {
  const parts = await Promise.all([...FIELD_TABLES.values()].map(ofNode));
  return Object.assign({}, ...parts);
}

async function ofNode(node: NodeDescription) {
  const { type, version } = node;
  return {
    [type]: isConfig(node) ? "config node" : `node, inputs ${node.inputs ?? 1}`,
    [`${type} settings version`]: String(version),
    ...(await outputsOf(node)),
    ...(await statusesOf(node)),
    ...propertiesOf(node),
    ...Object.fromEntries(
      Object.entries(credentialsOf(node)).map(([name, { type: kind }]) => [
        `${type} credential ${name}`,
        kind,
      ]),
    ),
  };
}

async function outputsOf(node: NodeDescription) {
  if (isConfig(node)) return {};
  const { type, outputs = [""] } = node;
  const name = shortName(type);
  const { [name]: texts } = await readJson(join(root, "nodes", name, "locales/en-US", `${name}.json`));
  return Object.fromEntries(
    outputs.flatMap((output, index) => [
      [`${type} output ${index + 1}`, output],
      ...(outputs.length > 1 ? [[`${type} output ${index + 1} label`, texts.output[output]]] : []),
    ]),
  );
}

/** The codes of its statuses, as the keys of their texts. */
async function statusesOf(node: NodeDescription) {
  if (isConfig(node)) return {};
  const { type } = node;
  const name = shortName(type);
  const { [name]: own } = await readJson(join(root, "nodes", name, "locales/en-US", `${name}.json`));
  const { common } = await readJson(join(root, "nodes/common/locales/en-US/common.json"));
  const keys = Object.keys({ ...own.status, ...common.status }).filter((key) => !key.endsWith("_plural"));
  return Object.fromEntries(keys.map((key) => [`${type} status ${key}`, ""]));
}

function propertiesOf(node: NodeDescription) {
  const defaults = defaultsOf(node) as Record<string, { value: unknown; type?: string; required?: boolean }>;
  return Object.fromEntries(
    Object.entries(defaults)
      .filter(([name]) => name !== "version")
      .flatMap(([name, { value, type, required }]) => {
        const key = `${node.type} property ${name}`;
        const field = node.fields[name];
        const parts = [
          field ? kindOf(field) : `type of ${name.replace(/Type$/, "")}`,
          ...(field?.kind === "number" ? rangeOf(field) : []),
          ...(type === undefined ? [] : [`of type ${type}`]),
          ...(required ? ["required"] : []),
          `default ${JSON.stringify(value)}`,
        ];
        return [
          [key, parts.join(", ")],
          ...choicesOf(node, name).map((choice) => [`${key} choice ${choice || '""'}`, ""]),
        ];
      }),
  );
}

/** Which values a flow may have. */
function rangeOf({
  least,
  most,
  whole,
  optional,
}: import("../../../nodes/common/shared/fields.ts").NumberField) {
  return [
    most === undefined ? `from ${least}` : `from ${least} to ${most}`,
    ...(whole ? ["whole"] : []),
    ...(optional ? ["or empty"] : []),
  ];
}

function kindOf(field: Field) {
  if (field.kind === "boolean" && field.numeric) return "boolean, stored as 0 or 1";
  return field.kind === "typed" && field.list ? "typed, list" : field.kind;
}

function choicesOf({ fields }: NodeDescription, name: string): readonly string[] {
  const field = fields[name];
  if (field?.kind === "select" || field?.kind === "list") return field.options;
  const typed = fields[name.replace(/Type$/, "")];
  return field === undefined && typed?.kind === "typed" ? (typed.types ?? []) : [];
}
