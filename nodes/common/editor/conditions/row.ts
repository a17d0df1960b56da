import type { ConditionDef } from "../../shared/stored-values.ts";
import type { EditedNode } from "../api.ts";
import { labelled, problemUnder } from "../form-rows.ts";
import { TYPED } from "../while-open.ts";
import { fillComparisons, fits, type Judgement, judgementOf, needsValue } from "./comparisons.ts";
import {
  type FieldChoice,
  type FieldGroup,
  type FieldKind,
  fieldAt,
  typedField,
  usualField,
} from "./fields.ts";
import { conditionProblem } from "./problem.ts";
import {
  chooseField,
  chosenField,
  EXPRESSION,
  expressionInput,
  fillFields,
  fillTruth,
  TYPED_PATH,
  unitSelect,
} from "./row-parts.ts";
import { conditionText } from "./text.ts";
import { type ValuePart, valuePart } from "./value.ts";

type FieldDef = Extract<ConditionDef, { kind: "field" }>;

/** What rows share: what the chosen contract offers, as the form has it now. */
export type RowContext = {
  groups(): readonly FieldGroup[];
  /** The fields that the rows before this one are about; of a row that is being made, all others. */
  taken(row: ConditionRow | undefined): readonly string[];
  /** The name of the only event that the other rows let through; undefined where they do not say. */
  event(): string | undefined;
  decimals(): string;
  network(): string;
  changed(): void;
};

export type ConditionRow = {
  read(): ConditionDef;
  /** As a part of a sentence. */
  text(): string;
  /** The fields that are offered have changed. */
  refresh(): void;
  /** Updates the hint about other events with a field of the same name. */
  explain(): void;
  name(number: number): void;
};

/** One condition: a field, a comparison and a value; or an expression. Without a stored one, the usual field. */
export function conditionRow(
  node: EditedNode,
  { head, body }: { head: JQuery; body: JQuery },
  stored: ConditionDef | undefined,
  context: RowContext,
): ConditionRow {
  const id = RED.nodes.id();
  const text = (key: string, values?: Record<string, unknown>) => node._(`common.condition.${key}`, values);
  const field = $("<select>")
    .attr("id", `${id}-field`)
    .css({ flex: "1 1 0", "min-width": "0" })
    .appendTo(head);
  const is = $("<select>").css({ flex: "0 0 170px", width: "170px" }).appendTo(head);
  const path = labelled(node, body, `${id}-path`, "", $('<input type="text">'), false);
  path.css({ width: "100%", "font-family": "monospace" }).attr("placeholder", "params.value");
  const pathProblem = problemUnder(path);
  const value = $("<div>").appendTo(body);
  const shared = $('<div class="crec-hint">').hide().appendTo(body);

  const isNew = stored === undefined;
  /** A new row follows the contract until a person chooses a field. */
  let isUntouched = isNew;
  /** The comparison that is usual for a field goes with it; one that a person chose stays where it fits. */
  let isChosen = !isNew;
  const first: FieldDef = stored?.kind === "field" ? stored : { kind: "field", field: "", is: "equals" };
  let kept: FieldDef = { ...first };
  let expression = stored?.kind === "expression" ? stored : { kind: "expression" as const, value: "" };
  let groups: readonly FieldGroup[] = [];
  const byKind = new Map<FieldKind, FieldDef>();
  let shownKind: FieldKind = "any";
  let drawn: { choice: FieldChoice; part?: ValuePart; upper?: ValuePart; unit?: JQuery } | undefined;
  let drawnExpression: JQuery | undefined;
  let number = 1;
  /** Fields report changes while they are built, too. */
  let isDrawing = false;
  /** Once it is there. */
  let self: ConditionRow | undefined;

  const isExpression = () => field.val() === EXPRESSION;
  const choice = (): FieldChoice =>
    chosenField(field, groups)?.field ?? typedField(String(path.val() ?? "").trim());
  const isInTokens = ({ isAmount }: FieldChoice): boolean => isAmount === true && context.decimals() !== "";
  const judgement = (): Judgement => judgementOf(String(is.val() ?? ""));

  const readField = (): FieldDef => {
    const { is: comparison, not } = judgement();
    const { path: at } = choice();
    const { value: _value, type: _type, to: _to, toType: _toType, unit: _unit, not: _not, ...rest } = kept;
    const values = drawn?.part?.read();
    const upper = drawn?.upper?.read();
    return {
      ...rest,
      field: at,
      is: comparison,
      ...values,
      ...(upper ? { to: upper.value, toType: upper.type } : {}),
      ...(values && drawn?.unit?.val() === "token" ? { unit: "token" as const } : {}),
      ...(not ? { not } : {}),
    };
  };
  const readExpression = () => ({
    kind: "expression" as const,
    value: drawnExpression ? String(drawnExpression.typedInput("value") ?? "") : expression.value,
    ...(judgement().not ? { not: true } : {}),
  });
  const read = (): ConditionDef => (isExpression() ? readExpression() : readField());

  /** Keeps what was typed, so that nothing is lost when a person switches between fields. */
  const keep = (): void => {
    if (drawnExpression) expression = readExpression();
    if (drawn) kept = { ...kept, ...readField() };
  };
  const labels = (): void => {
    const set = (element: JQuery, key: string) => element.attr("aria-label", text(key, { number }));
    set(field, "label.field");
    set(is, "label.is");
    if (drawn?.unit) set(drawn.unit, "label.unit");
    for (const [part, key] of Object.entries({ path: "label.path", value: "label.value", to: "label.to" }))
      body.find(`label[for="${id}-${part}"]`).text(text(key, { number }));
  };

  const drawValue = (): void => {
    const shown = choice();
    const judged = judgement();
    value.empty();
    drawn = undefined;
    drawnExpression = undefined;
    if (isExpression()) {
      drawnExpression = expressionInput(node, value, `${id}-value`, expression.value, context.changed);
    } else if (needsValue(judged.is)) {
      const unit = unitSelect(
        node,
        shown,
        judged.is,
        kept.unit ?? (isUntouched && isInTokens(shown) ? "token" : ""),
        context,
      );
      const width = unit ? "calc(100% - 200px)" : "100%";
      const part = (name: "value" | "to", its: { value: string | undefined; type: string | undefined }) =>
        valuePart(node, value, {
          id: `${id}-${name}`,
          label: text(`label.${name}`, { number }),
          field: shown,
          width: name === "value" ? width : "100%",
          stored: its,
          condition: () => ({
            is: judgement().is,
            field: shown.path,
            ...(unit?.val() === "token" ? { unit: "token" as const } : {}),
          }),
          decimals: context.decimals,
          network: context.network,
          changed: context.changed,
        });
      const lower = part("value", { value: kept.value, type: kept.type });
      if (unit) value.find(".red-ui-typedInput-container").first().after(unit);
      if (judged.is === "between") $("<div>").text(text("to")).appendTo(value);
      const upper = judged.is === "between" ? part("to", { value: kept.to, type: kept.toType }) : undefined;
      drawn = { choice: shown, part: lower, ...(upper ? { upper } : {}), ...(unit ? { unit } : {}) };
      unit?.on("change", () => {
        lower.check();
        upper?.check();
        context.changed();
      });
    } else drawn = { choice: shown };
    labels();
  };
  /** Shows what fits the chosen field. */
  const adapt = (judged: Judgement | undefined): void => {
    isDrawing = true;
    shownKind = choice().kind;
    const isTyped = field.val() === TYPED_PATH;
    path.closest(".form-row").toggle(isTyped);
    if (isExpression()) fillTruth(node, is, judged?.not === true);
    else fillComparisons(node, is, choice().kind, judged);
    drawValue();
    isDrawing = false;
    context.changed();
  };

  const refresh = (): void => {
    const at = drawn || drawnExpression ? read() : (stored ?? kept);
    keep();
    groups = context.groups();
    fillFields(node, field, groups);
    if (at.kind === "expression") field.val(EXPRESSION);
    else {
      const usual = isUntouched ? usualField(groups, context.taken(self)) : undefined;
      const wanted = usual?.path ?? at.field;
      // An empty path of a new row is one that is not typed yet, and not the payload.
      const isOpen = isNew && isUntouched && !usual;
      chooseField(field, groups, isOpen ? undefined : fieldAt(groups, wanted, context.event()));
      if (wanted !== "") path.val(wanted);
    }
    const isUsual = isUntouched && at.kind === "field";
    adapt(isUsual ? undefined : { is: at.kind === "field" ? at.is : "isTrue", not: at.not === true });
  };
  const touched = (): void => {
    if (!isDrawing) isUntouched = false;
  };
  field.on("change", () => {
    const before = judgement();
    const wasExpression = drawnExpression !== undefined;
    keep();
    touched();
    const chosen = choice();
    if (!isExpression() && field.val() !== TYPED_PATH) path.val(chosen.path);
    if (chosen.kind !== shownKind) {
      // A value of one type does not fit another. It is restored when the person goes back.
      byKind.set(shownKind, kept);
      const { kind, field: at, is: comparison } = kept;
      kept = byKind.get(chosen.kind) ?? { kind, field: at, is: comparison };
      shownKind = chosen.kind;
    }
    if (isInTokens(chosen) && !kept.value) kept = { ...kept, unit: "token" };
    adapt(isChosen && !wasExpression && fits(chosen.kind, before) ? before : undefined);
  });
  is.on("change", () => {
    keep();
    touched();
    if (!isDrawing) isChosen = true;
    if (!isExpression()) drawValue();
    context.changed();
  });
  path.on(TYPED, () => {
    touched();
    const problem = conditionProblem(node, { kind: "field", field: choice().path, is: "exists" });
    pathProblem.say(problem ?? (choice().path === "" ? text("error.field") : ""));
    context.changed();
  });
  value.on(TYPED, touched);
  refresh();

  self = {
    read,
    text: () => conditionText(node, read(), choice().label || "…"),
    refresh,
    explain: () => {
      const found = isExpression() ? undefined : chosenField(field, groups);
      const others = found ? alsoIn(found, groups) : [];
      const isSaid = others.length > 0 && context.event() === undefined;
      const event = found?.group.event ?? "";
      shared.text(isSaid ? text("also-in", { others: others.join(", "), event }) : "").toggle(isSaid);
    },
    name: (position) => {
      number = position;
      labels();
    },
  };
  return self;
}

/** Other events that have a field with this path: the condition is about them, too. */
function alsoIn(found: { group: FieldGroup; field: FieldChoice }, groups: readonly FieldGroup[]): string[] {
  const { event } = found.group;
  if (event === undefined) return [];
  const names = groups.flatMap((group) =>
    group.event !== undefined && group.event !== event && fieldAt([group], found.field.path)
      ? group.event
      : [],
  );
  return [...new Set(names)];
}
