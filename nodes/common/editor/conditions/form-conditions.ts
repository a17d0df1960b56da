import type { CompletionSearch, EditedNode } from "../api.ts";
import { listOnClick } from "../lookups/lookup.ts";
import type { FieldGroup } from "./fields.ts";
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

/** Offers the fields of a contract's events in a text box that takes the path of one. */
export function offerFields(
  box: JQuery,
  groups: () => readonly FieldGroup[],
  isOffered: (field: FieldGroup["fields"][number]) => boolean = () => true,
): void {
  const search: CompletionSearch = (text, done) => {
    const typed = text.trim().toLowerCase();
    const all = groups().flatMap(({ label, fields }) =>
      fields
        .filter((field) => field.path !== "" && isOffered(field))
        .map((field) => ({ ...field, group: label })),
    );
    // A whole path is one that was chosen before: the others are offered in its place.
    const isWhole = all.some(({ path }) => path.toLowerCase() === typed);
    const found = all.filter(({ path }) => isWhole || path.toLowerCase().includes(typed));
    const unique = found.filter(({ path }, index) => found.findIndex((one) => one.path === path) === index);
    done(unique.map(({ path, type, group }) => ({ value: path, label: line(path, `${type} · ${group}`) })));
  };
  box.autoComplete({ minLength: 0, search });
  listOnClick(box);
}

/** Built from text nodes: names of an ABI must not become HTML here. */
function line(path: string, detail: string): JQuery {
  const built = $("<div>").css({ display: "flex", "justify-content": "space-between", gap: "1em" });
  $("<span>").text(path).appendTo(built);
  $("<span>").css("opacity", "0.7").text(detail.replace(/^ · /, "")).appendTo(built);
  return built;
}
