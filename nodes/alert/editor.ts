import type { EditedNode } from "../lib/editor/api.ts";
import { offerFields } from "../lib/editor/conditions/offer-fields.ts";
import { conditionsIn, conditionsProblem } from "../lib/editor/conditions/problem.ts";
import { type ConditionRows, conditionRows } from "../lib/editor/conditions/rows.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import { warnOfMissingDecimals } from "../lib/editor/missing-decimals.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { showPreview } from "./editor-preview.ts";
import { showSummary } from "./editor-summary.ts";
import { NODE } from "./fields.ts";

/** Of the form that is open. */
let rowsInForm: ConditionRows | undefined;

export const form: NodeForm = {
  label: (node) => String(node.title ?? "").replaceAll(/\{\{[^{}]*\}\}/g, "…"),
  checks: {
    conditions: (node) => {
      const isOnTop = RED.editor.getEditStack().at(-1)?.id === node.id;
      return conditionsProblem(node, isOnTop && rowsInForm ? rowsInForm.read() : node.conditions);
    },
  },
  opened(node) {
    const contract = inputOf("contract");
    const stored = conditionsIn(node.conditions);
    const rows = conditionRows(node, partOf(NODE, "conditions"), { contract, stored, startsWithOne: true });
    rowsInForm = rows;
    warnOfMissingDecimals(node);
    offerFields(inputOf("sumField"), rows.groups, ({ kind }) => kind === "number");
    offerFields(inputOf("forEachField"), rows.groups);
    showSummary(node, rows);
    showPreview(node, rows);
  },
  cancelled() {
    rowsInForm = undefined;
  },
  saved(node: EditedNode) {
    node.conditions = rowsInForm?.read() ?? node.conditions;
    rowsInForm = undefined;
  },
};
