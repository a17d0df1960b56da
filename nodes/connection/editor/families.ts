import type { EditedNode } from "../../common/editor/api.ts";
import { fieldTexts, partOf } from "../../common/editor/form-fields.ts";
import { inputOf, labelled } from "../../common/editor/form-rows.ts";
import { atPresent } from "../../common/editor/values/validate.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { FamilyDef } from "../../common/shared/stored-values.ts";
import { NODE } from "../fields.ts";
import { signerSetProblem, thresholdWarnings } from "../signer-set.ts";

/** The list of signer sets of oracle families. */
export type FamiliesForm = { read(): FamilyDef[] };

/** The data of one item of the list. */
type Item = { stored?: FamilyDef; read?: () => FamilyDef; showProblem?: () => void };

const FIELDS = {
  family: "connection.family.name",
  validSigners: "connection.label.validSigners",
  minRequiredSignatures: "connection.label.minRequiredSignatures",
  orgId: "connection.label.orgId",
  creTenantId: "connection.label.creTenantId",
} as const;
const INHERITED: readonly string[] = ["orgId", "creTenantId"];

export function familiesForm(node: EditedNode): FamiliesForm {
  const fieldText = fieldTexts(["orgId"]);
  const orgId = () => fieldText("orgId");
  const list = $("<ol>").appendTo(partOf(NODE, "families"));
  const items = (): Item[] =>
    list
      .editableList("items")
      .toArray()
      .map((element) => $(element).data("data") as Item);
  const read = (): FamilyDef[] => items().flatMap((item) => item.read?.() ?? []);
  const showProblems = (): void => {
    for (const item of items()) item.showProblem?.();
  };
  const remove = (item: Item): void => {
    list.editableList("removeItem", item);
    showProblems();
    list.closest(".red-ui-editableList").find("button, textarea, input").last().trigger("focus");
  };
  list.editableList({
    addItem: (container, _index, item) => {
      showSet(node, container, item as Item, { read, showProblems, remove, orgId });
      showProblems();
    },
    addButton: node._("connection.family.add"),
    ariaLabel: node._("connection.label.otherFamilies"),
    scrollOnAdd: false,
    height: "auto",
  });
  for (const set of familiesIn(node.families)) list.editableList("addItem", { stored: set });
  inputOf("orgId").on(TYPED, showProblems);
  return { read };
}

/** The sentence about the first wrong set. */
export function familiesProblem(node: EditedNode, value: unknown): string | undefined {
  const families = familiesIn(value);
  const orgId = String(atPresent(node, "orgId") ?? "").trim();
  const [problem] = families.flatMap((set) => signerSetProblem(set, { families, orgId }) ?? []);
  return problem && node._(problem.key, problem.values);
}

function familiesIn(value: unknown): FamilyDef[] {
  return Array.isArray(value) ? (value as FamilyDef[]) : [];
}

type ListOfSets = { read(): FamilyDef[]; showProblems(): void; remove(item: Item): void; orgId(): string };

/** One set: its fields, what is wrong with them, and the button that removes it. */
function showSet(
  node: EditedNode,
  container: JQuery,
  item: Item,
  { read, showProblems, remove, orgId }: ListOfSets,
): void {
  const stored = item.stored ?? {};
  const boxes = Object.entries(FIELDS).map(([name, label]) => {
    const box = name === "validSigners" ? $('<textarea rows="4">') : $('<input type="text">');
    labelled(node, container, RED.nodes.id(), label, box);
    if (name === "validSigners") box.css("font-family", "monospace").attr("placeholder", "0x…");
    if (INHERITED.includes(name)) box.attr("placeholder", node._("connection.family.as-above"));
    box.val(String(stored[name as keyof FamilyDef] ?? ""));
    return [name, box] as const;
  });
  const problems = $('<div role="alert" class="crec-hint crec-problem">').appendTo(container);
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .css({ margin: "6px 0 6px 105px" })
    .text(node._("connection.family.remove"))
    .on("click", () => remove(item))
    .appendTo(container);
  item.read = () =>
    Object.fromEntries(boxes.map(([name, box]) => [name, String(box.val() ?? "").trim()])) as FamilyDef;
  item.showProblem = () => {
    const set = item.read?.() ?? {};
    const problem = signerSetProblem(set, { families: read(), orgId: orgId() });
    const warnings = thresholdWarnings(set.validSigners ?? "", String(set.minRequiredSignatures ?? ""));
    problems.empty();
    // An unreachable threshold is both: it is shown once.
    for (const { key, values } of problem ? [problem] : warnings) {
      $("<div>").text(node._(key, values)).appendTo(problems);
    }
  };
  for (const [, box] of boxes) box.on(TYPED, showProblems);
}
