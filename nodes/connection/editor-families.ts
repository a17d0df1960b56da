import type { EditedNode } from "../lib/editor/api.ts";
import { labelled } from "../lib/editor/form-rows.ts";
import { TYPED } from "../lib/editor/live-check.ts";
import { atPresent } from "../lib/editor/validate.ts";
import type { FamilyDef } from "../lib/shared/form-types.ts";
import { field } from "./editor-fields.ts";
import { familyProblem } from "./family-problems.ts";
import { thresholdWarnings } from "./threshold.ts";

/** The signer sets of oracle families: a list that is hidden until it is opened. */
export type FamiliesForm = { read(): FamilyDef[] };

/** What stands behind one item of the list. */
type Listed = { stored?: FamilyDef; read?: () => FamilyDef; judge?: () => void };

const FIELDS = {
  family: "connection.family.name",
  validSigners: "connection.label.signers",
  minRequiredSignatures: "connection.label.threshold",
  orgId: "connection.label.org-id",
  creTenantId: "connection.label.tenant",
} as const;
const INHERITED: readonly string[] = ["orgId", "creTenantId"];

export function familiesForm(node: EditedNode, list: JQuery): FamiliesForm {
  const items = (): Listed[] =>
    list
      .editableList("items")
      .toArray()
      .map((element) => $(element).data("data") as Listed);
  const read = (): FamilyDef[] => items().flatMap((item) => item.read?.() ?? []);
  const judge = (): void => {
    for (const item of items()) item.judge?.();
  };
  const remove = (item: Listed): void => {
    list.editableList("removeItem", item);
    judge();
    list.closest(".red-ui-editableList").find("button, textarea, input").last().trigger("focus");
  };
  list.editableList({
    addItem: (container, _index, item) => {
      showSet(node, container, item as Listed, { read, judge, remove });
      judge();
    },
    addButton: node._("connection.family.add"),
    ariaLabel: node._("connection.family.more"),
    scrollOnAdd: false,
    height: "auto",
  });
  const stored = storedFamilies(node);
  for (const set of stored) list.editableList("addItem", { stored: set });
  // What was set must be seen.
  $("#crec-connection-families").prop("open", stored.length > 0);
  $("#node-config-input-orgId").on(TYPED, judge);
  return { read };
}

/** The sentence for the first wrong set of a connection, or true. */
export function judgeFamilies(node: EditedNode, value: unknown): true | string {
  const families = Array.isArray(value) ? (value as FamilyDef[]) : [];
  const orgId = String(atPresent(node, "orgId") ?? "").trim();
  for (const set of families) {
    const problem = familyProblem(set, { families, orgId });
    if (problem) return node._(problem.key, problem.values);
  }
  return true;
}

export function storedFamilies({ families }: EditedNode): FamilyDef[] {
  return Array.isArray(families) ? (families as FamilyDef[]) : [];
}

type Around = { read(): FamilyDef[]; judge(): void; remove(item: Listed): void };

/** One set: its fields, what is wrong with them, and the button that takes it away. */
function showSet(node: EditedNode, container: JQuery, item: Listed, { read, judge, remove }: Around): void {
  const stored = item.stored ?? {};
  const boxes = Object.entries(FIELDS).map(([name, label]) => {
    const box = name === "validSigners" ? $('<textarea rows="4">') : $('<input type="text">');
    labelled(node, container, RED.nodes.id(), label, box);
    if (name === "validSigners") box.css("font-family", "monospace").attr("placeholder", "0x…");
    if (INHERITED.includes(name)) box.attr("placeholder", node._("connection.family.as-above"));
    box.val(String(stored[name as keyof FamilyDef] ?? ""));
    return [name, box] as const;
  });
  const said = $('<div role="alert">')
    .css({ "margin-left": "105px", color: "var(--red-ui-text-color-error)", "overflow-wrap": "anywhere" })
    .appendTo(container);
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .css({ margin: "6px 0 6px 105px" })
    .text(node._("connection.family.remove"))
    .on("click", () => remove(item))
    .appendTo(container);
  item.read = () =>
    Object.fromEntries(boxes.map(([name, box]) => [name, String(box.val() ?? "").trim()])) as FamilyDef;
  item.judge = () => {
    const set = item.read?.() ?? {};
    const problem = familyProblem(set, { families: read(), orgId: field("orgId") });
    const warnings = thresholdWarnings(set.validSigners ?? "", String(set.minRequiredSignatures ?? ""));
    said.empty();
    // A threshold out of reach is said once.
    for (const { key, values } of problem ? [problem] : warnings) {
      $("<div>").text(node._(key, values)).appendTo(said);
    }
  };
  for (const [, box] of boxes) box.on(TYPED, judge);
}
