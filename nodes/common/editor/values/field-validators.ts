import { each } from "../../shared/field-checks.ts";
import { errorKey, fitsNumber, isShown, labelKey } from "../../shared/field-rules.ts";
import type { Field, NodeDescription } from "../../shared/fields.ts";
import { isChosen, isReference } from "../../shared/variables.ts";
import type { ConfigNode, EditedNode, Validator } from "../api.ts";
import { atPresent, onlyVariables } from "./validate.ts";

/** The sentence about a wrong value; `undefined` for a valid one. */
export type FormCheck = (node: EditedNode, value: unknown) => string | undefined;

/**
 * The editor's validator of a field: a field that is not shown is right, and so is the name of a variable, which is
 * checked when it is used. `undefined` for a field without a check.
 */
export function validatorOf(node: NodeDescription, name: string, own?: FormCheck): Validator | undefined {
  const field = node.fields[name];
  if (field === undefined || name === "name" || (own === undefined && !canBeWrong(field))) return undefined;
  const validator: Validator = function (value, _options) {
    const other = (wanted: string) => atPresent(this, wanted);
    if (!isShown(node, name, other)) return true;
    const type = field.kind === "typed" ? String(other(`${name}Type`) || field.types?.[0] || "str") : "str";
    const variables = onlyVariables(this, value, type);
    if (variables !== true) return variables;
    const problem = own?.(this, value);
    if (problem !== undefined) return withoutTags(problem);
    if (field.kind === "config") return choiceProblem(this, node, name, value) ?? true;
    if (type !== "str")
      return isMissing(field, value) ? this._(errorKey(node, name)) : byTypedInput(this, name);
    return judged(this, node, name, String(value ?? "").trim(), other);
  };
  if (own || hasOwnRule(field)) return validator;
  // By this name the tests know the fields in which any text but a variable with other text is right.
  return Object.defineProperty(validator, "name", { value: "variableCheck" });
}

/**
 * Node-RED puts the sentences about a config node into its sidebar as HTML, and some of ours hold a name from the flow,
 * which may be imported.
 */
function withoutTags(sentence: string): string {
  return sentence.replaceAll("<", "‹");
}

function hasOwnRule(field: Field): boolean {
  if (field.kind === "number" || field.kind === "config") return true;
  return ("required" in field && field.required === true) || ("check" in field && field.check !== undefined);
}

function canBeWrong(field: Field): boolean {
  return ["config", "text", "number", "typed", "credential", "custom"].includes(field.kind);
}

function judged(
  edited: EditedNode,
  node: NodeDescription,
  name: string,
  text: string,
  other: (name: string) => unknown,
): boolean | string {
  const field = node.fields[name];
  const wrong = () => edited._(errorKey(node, name));
  if (field === undefined) return true;
  if (text === "") return !isMissing(field, text) || wrong();
  if (isReference(text)) return true;
  if (field.kind === "number") {
    const value = Number(text);
    return fitsNumber(field, value) || wrong();
  }
  if (!("check" in field) || !field.check) return true;
  const check = field.kind === "typed" && field.list ? each(field.check) : field.check;
  const found = check(text, other);
  return found === true || (found === false ? wrong() : edited._(found));
}

function isMissing(field: Field, value: unknown): boolean {
  return "required" in field && field.required === true && String(value ?? "").trim() === "";
}

/** Node-RED's own check of the value, such as for JSON. Node-RED skips it if a field has a validator. */
function byTypedInput({ id }: EditedNode, name: string): boolean | string {
  const input = RED.editor.getEditStack().at(-1)?.id === id ? $(`#node-input-${name}`) : $();
  if (input.next(".red-ui-typedInput-container").length === 0) return true;
  return input.typedInput("validate", { returnErrorMessage: true });
}

/**
 * What is wrong with the config node that a field has chosen, or with none: `undefined` where nothing is. It checks what
 * Node-RED checks, which skips a field with a validator, and that the config node is not disabled: Node-RED starts no
 * such node, and shows nothing at those that use it.
 */
function choiceProblem(
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
