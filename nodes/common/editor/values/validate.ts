import { isReference } from "../../shared/variables.ts";
import type { EditedNode } from "../api.ts";
import { inputOf } from "../form-rows.ts";

/**
 * A property as the form on top shows it, where that is the node's own, else as it is stored: Node-RED gives a
 * validator the stored node, while what is right in one field can hang on what another one shows now.
 */
export function atPresent(node: EditedNode, name: string): unknown {
  const edited = RED.editor.getEditStack().at(-1);
  const field = edited?.id === node.id ? inputOf(name) : $();
  if (field.length === 0) return node[name];
  return field.is("[type=checkbox]") ? field.prop("checked") : field.val();
}

/** `${NAME}` anywhere in a text. */
const VARIABLE = /\$\{[^\s{}]+\}/;

/**
 * Text that holds a variable beside other text is not replaced: that is an error. `kind` is that of a typed input; an
 * expression is read by others, and `env` does put several together.
 */
export function onlyVariables(node: EditedNode, value: unknown, kind = "str"): boolean | string {
  return !isMixed(value, kind) || node._("common.error.variable");
}

function isMixed(value: unknown, kind: string): boolean {
  if (kind === "jsonata" || kind === "env") return false;
  if (typeof value === "string") return VARIABLE.test(value) && !isReference(value);
  if (typeof value !== "object" || value === null) return false;
  const { type = "str" } = value as { type?: unknown };
  return Object.values(value).some((part) => isMixed(part, String(type)));
}
