import type { Comparison } from "../../../../src/protocol/index.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder, labelled, nameVisibleBox } from "../form-rows.ts";
import { TYPED } from "../while-open.ts";
import { isNumeric } from "./comparisons.ts";
import type { FieldChoice, FieldGroup } from "./fields.ts";

/** Tokens or the smallest unit, where the field can be an amount. */
export function unitSelect(
  node: EditedNode,
  field: FieldChoice,
  is: Comparison,
  chosen: string,
  { decimals }: { decimals(): string },
): JQuery | undefined {
  const isOffered = (field.isCountable && (field.kind === "number" || isNumeric(is))) || chosen === "token";
  if (!isOffered) return undefined;
  const known = /^\d+$/.test(decimals());
  const tokens = known
    ? node._("common.unit.tokens", { decimals: decimals() })
    : node._("common.unit.tokens-unknown");
  // A number of a type that is not known need not be an amount.
  const asItIs = node._(field.kind === "any" ? "common.condition.as-it-is" : "common.unit.smallest");
  return $("<select>")
    .css({ width: "190px", "margin-left": "10px" })
    .append($("<option>").val("").text(asItIs))
    .append($("<option>").val("token").text(tokens))
    .val(chosen);
}

/** An expression holds, or it does not. */
export function fillTruth(node: EditedNode, select: JQuery, not: boolean): void {
  select.empty();
  for (const value of ["isTrue", "!isTrue"])
    select.append(
      $("<option>")
        .val(value)
        .text(node._(value === "isTrue" ? "common.condition.is.isTrue" : "common.condition.not.isTrue")),
    );
  select.val(not ? "!isTrue" : "isTrue");
}

export function expressionInput(
  node: EditedNode,
  container: JQuery,
  id: string,
  stored: string,
  changed: () => void,
): JQuery {
  const input = labelled(node, container, id, "", $('<input type="text">'), false);
  input.css("width", "100%");
  input.typedInput({ default: "jsonata", types: ["jsonata"] });
  input.typedInput("value", stored);
  nameVisibleBox(input);
  hintUnder(input).say(node._("common.condition.hint.expression"));
  input.on(TYPED, changed);
  return input;
}

/** Options that are not fields: a typed path, and an expression. */
export const TYPED_PATH = "typed";
export const EXPRESSION = "expression";

/** The fields of each event under its name, then those of all events, then what can be typed. */
export function fillFields(node: EditedNode, select: JQuery, groups: readonly FieldGroup[]): void {
  select.empty();
  for (const [number, { label, event, fields }] of groups.entries()) {
    const options = fields.map((field, index) =>
      $("<option>")
        .val(`${number}.${index}`)
        .text(event === undefined ? field.label : withType(field)),
    );
    $("<optgroup>").attr("label", label).append(options).appendTo(select);
  }
  const others = $("<optgroup>").attr("label", node._("common.condition.group.typed")).appendTo(select);
  for (const value of [TYPED_PATH, EXPRESSION])
    others.append(
      $("<option>")
        .val(value)
        .text(node._(`common.condition.field.${value}`)),
    );
}

/** The chosen field; undefined for a typed path. */
export function chosenField(
  select: JQuery,
  groups: readonly FieldGroup[],
): { group: FieldGroup; field: FieldChoice } | undefined {
  const [number, index] = String(select.val() ?? "").split(".");
  const group = groups[Number(number)];
  const field = group?.fields[Number(index)];
  return group && field ? { group, field } : undefined;
}

/** Chooses a field where it is offered. */
export function chooseField(
  select: JQuery,
  groups: readonly FieldGroup[],
  found: { group: FieldGroup; field: FieldChoice } | undefined,
): void {
  if (!found) return void select.val(TYPED_PATH);
  select.val(`${groups.indexOf(found.group)}.${found.group.fields.indexOf(found.field)}`);
}

function withType({ label, type, internalType }: FieldChoice): string {
  return `${label} (${internalType ?? type})`;
}
