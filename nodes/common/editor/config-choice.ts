import { errorKey, labelKey } from "../shared/field-rules.ts";
import type { NodeDescription } from "../shared/fields.ts";
import { isChosen } from "../shared/variables.ts";
import type { ConfigNode, EditedNode } from "./api.ts";

/**
 * What is wrong with the config node that a field has chosen, or with none: `undefined` where nothing is. It checks what
 * Node-RED checks, which skips a field with a validator, and that the config node is not disabled: Node-RED starts no
 * such node, and shows nothing at those that use it.
 */
export function choiceProblem(
  edited: EditedNode,
  node: NodeDescription,
  name: string,
  value: unknown,
): string | undefined {
  const field = node.fields[name];
  if (field?.kind !== "config") return undefined;
  const prop = edited._(labelKey(node, name));
  if (!isChosen(value)) {
    if (!field.required) return undefined;
    return field.shown
      ? edited._(errorKey(node, name))
      : RED._("validator.errors.missing-required-prop", { prop });
  }
  const chosen = RED.nodes.node(String(value));
  if (!chosen) return RED._("validator.errors.missing-config", { prop });
  if (chosen.valid === false) return RED._("validator.errors.invalid-config", { prop });
  return isDisabled(chosen) ? edited._("common.error.disabled", { prop }) : undefined;
}

/** By itself, or with its tab. */
function isDisabled({ d, z }: ConfigNode): boolean {
  return d === true || (typeof z === "string" && RED.nodes.workspace(z)?.disabled === true);
}
