import type { EditedNode } from "../../common/editor/api.ts";
import { labelled, nameVisibleBox, problemUnder } from "../../common/editor/form-rows.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import { TEXT_TYPES } from "../../common/shared/common-fields.ts";
import type { Value } from "../../common/shared/stored-values.ts";
import { COIN_PLACES, COIN_UNITS, coinUnit } from "../../common/shared/stored-values.ts";
import { isReference } from "../../common/shared/variables.ts";

const DECIMAL = /^\d*\.?(\d*)$/;

type AmountForm = { row: JQuery; read(): Value };

/** What is wrong with an amount: a key of the catalog. An amount that a message or the environment gives is not checked. */
export function amountProblem({ value = "", type = "str", unit }: Value = {}): string | undefined {
  const text = value.trim();
  if (type !== "str" || text === "" || isReference(text)) return undefined;
  const [, fraction] = DECIMAL.exec(text) ?? [];
  if (fraction === undefined || text === ".") return "submit-operation.error.amount";
  const places = COIN_PLACES[coinUnit(unit)];
  const tooFine = fraction.replace(/0+$/, "").length > places;
  return tooFine ? `submit-operation.error.too-fine.${coinUnit(unit)}` : undefined;
}

/** The value that a call sends along: an amount and its unit. */
export function amountForm(
  node: EditedNode,
  container: JQuery,
  id: string,
  stored: Value | undefined,
): AmountForm {
  const input = labelled(node, container, id, "submit-operation.label.amount", $('<input type="text">'));
  input.css("width", "calc(70% - 95px)");
  input.typedInput({ default: "str", types: [...TEXT_TYPES] });
  if (stored?.type) input.typedInput("type", stored.type);
  input.typedInput("value", stored?.value ?? "");
  nameVisibleBox(input);
  const row = input.closest(".form-row");
  const unit = $("<select>")
    .css({ width: "85px", "margin-left": "10px" })
    .attr("aria-label", node._("submit-operation.label.unit"))
    .appendTo(row);
  for (const name of COIN_UNITS) {
    unit.append(
      $("<option>")
        .val(name)
        .text(node._(`submit-operation.unit.${name}`)),
    );
  }
  // Ether for a new amount. One that was stored without a unit is in wei.
  unit.val(stored?.value || stored?.unit ? coinUnit(stored.unit) : "ether");
  const problem = problemUnder(input);

  const read = (): Value => {
    const chosen = coinUnit(String(unit.val()));
    const named = chosen !== "wei" || stored?.unit !== undefined;
    const value = { value: input.typedInput("value"), type: input.typedInput("type") };
    return named && (value.value !== "" || stored?.unit) ? { ...value, unit: chosen } : value;
  };
  const check = (): void => {
    const key = amountProblem(read());
    problem.say(key ? node._(key) : "");
  };
  row.on(TYPED, check);
  check();
  return { row, read };
}
