import type { EditedNode } from "../api.ts";
import type { FieldChoice, FieldGroup } from "./fields.ts";

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
