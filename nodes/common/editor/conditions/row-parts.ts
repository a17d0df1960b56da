import type { Comparison } from "../../../../src/protocol/index.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder, labelled, nameVisibleBox } from "../form-rows.ts";
import { TYPED } from "../live-check.ts";
import { isNumeric } from "./comparisons.ts";
import type { FieldChoice } from "./fields.ts";

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
