import type { EditedNode } from "../api.ts";
import { conditionsIn, conditionsProblem } from "./problem.ts";
import { type ConditionRows, type ConditionRowsOptions, conditionRows } from "./rows.ts";

/** The field `conditions` of a node's form: its check, and what opens, reads and forgets its rows. */
export type FormConditions = {
  check(node: EditedNode): string | undefined;
  open(node: EditedNode, container: JQuery, options: Omit<ConditionRowsOptions, "stored">): ConditionRows;
  cancelled(): void;
  saved(node: EditedNode): void;
};

export function formConditions(): FormConditions {
  /** Of the form that is open. */
  let rows: ConditionRows | undefined;
  return {
    check: (node) => {
      const isOnTop = RED.editor.getEditStack().at(-1)?.id === node.id;
      return conditionsProblem(node, isOnTop && rows ? rows.read() : node.conditions);
    },
    open: (node, container, options) => {
      rows = conditionRows(node, container, { ...options, stored: conditionsIn(node.conditions) });
      return rows;
    },
    cancelled: () => {
      rows = undefined;
    },
    saved: (node) => {
      node.conditions = rows?.read() ?? node.conditions;
      rows = undefined;
    },
  };
}
