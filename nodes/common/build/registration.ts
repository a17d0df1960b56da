import { credentialsOf } from "../shared/field-rules.ts";
import type { Field, NodeDescription } from "../shared/fields.ts";

/** What is stored for a node that was just dropped, as the editor's `defaults`. */
export function defaultsOf({ version, fields }: NodeDescription): Record<string, object> {
  const properties = Object.entries(fields).flatMap(([name, field]) => propertiesOf(name, field));
  return { ...Object.fromEntries(properties), version: { value: version } };
}

function propertiesOf(name: string, field: Field): Array<[string, object]> {
  switch (field.kind) {
    case "config":
      // A field that is required only while it is shown is left to the form's validator, which Node-RED does not call
      // for an empty value where `required` is false.
      if (field.required && field.shown) return [[name, { value: "", type: field.type }]];
      return [[name, { value: "", type: field.type, required: field.required }]];
    case "typed":
      return [
        [name, { value: field.default ?? "" }],
        [`${name}Type`, { value: field.types?.[0] ?? "str" }],
      ];
    case "text":
      return [[name, { value: field.default ?? "" }]];
    case "select":
      // Not required: a flow from before a choice was added does not have it, and the node takes the default.
      return [[name, { value: field.default }]];
    case "number":
      return [[name, { value: field.default }]];
    case "boolean":
      return [[name, { value: field.numeric ? Number(field.default) : field.default }]];
    case "list":
      return [[name, { value: [] }]];
    case "hidden":
      return [[name, { value: field.default, ...(field.type ? { type: field.type, required: false } : {}) }]];
    case "custom":
      return field.default === undefined ? [] : [[name, { value: field.default }]];
    default:
      return [];
  }
}

const CATEGORY = "CRE Connect";
/**
 * Of equal brightness: Node-RED's label, dark grey in both themes, has a contrast of 4.5:1 on both colors, and a white
 * icon one of 3:1 in the light theme.
 */
const COLORS = { reads: "#7d9fc6", acts: "#9b8ff3" } as const;

/** Nodes on the workspace have an icon. */
export function isConfig({ icon }: NodeDescription): boolean {
  return icon === undefined;
}

/**
 * The call that registers a form. The flow library reads it without running it, and gives up on a spread: so all that
 * it looks for is written out.
 */
export function registration(node: NodeDescription): string {
  const workspace = isConfig(node)
    ? ""
    : `color: "${node.acts ? COLORS.acts : COLORS.reads}", icon: "${node.icon}", inputs: ${node.inputs ?? 1}, outputs: ${node.outputs?.length ?? 1}, `;
  const credentials = JSON.stringify(credentialsOf(node));
  return [
    `forms.registerType("${node.type}", {`,
    `  category: "${isConfig(node) ? "config" : CATEGORY}", ${workspace}`,
    `  defaults: ${unquoted(JSON.stringify(defaultsOf(node), null, 1))},`,
    `  ${credentials === "{}" ? "" : `credentials: ${credentials}, `}node: NODE, form,`,
    "});",
  ].join("\n");
}

/** Property names as identifiers: so the flow library's parser knows them. */
function unquoted(json: string): string {
  return json.replace(/^(\s*)"(\w+)":/gm, "$1$2:");
}
