import type { EditedNode } from "../api.ts";
import { conditionsIn, conditionsProblem } from "./problem.ts";
import { type ConditionRows, type ConditionRowsOptions, conditionRows } from "./rows.ts";

/** A field of a node's form with conditions: its check, and what opens, reads and forgets its rows. */
type FormConditions = {
  check(node: EditedNode): string | undefined;
  open(node: EditedNode, container: JQuery, options: Omit<ConditionRowsOptions, "stored">): ConditionRows;
  cancelled(): void;
  saved(node: EditedNode): void;
};

export function formConditions(field: "conditions" | "endConditions" = "conditions"): FormConditions {
  /** Of the form that is open. */
  let rows: ConditionRows | undefined;
  return {
    check: (node) => {
      const isOnTop = RED.editor.getEditStack().at(-1)?.id === node.id;
      return conditionsProblem(node, isOnTop && rows ? rows.read() : node[field]);
    },
    open: (node, container, options) => {
      rows = conditionRows(node, container, { ...options, stored: conditionsIn(node[field]) });
      return rows;
    },
    cancelled: () => {
      rows = undefined;
    },
    saved: (node) => {
      node[field] = rows?.read() ?? node[field];
      rows = undefined;
    },
  };
}
