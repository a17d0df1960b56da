import type { EditedNode } from "../common/editor/api.ts";
import { partOf } from "../common/editor/form-fields.ts";
import { inputOf } from "../common/editor/form-rows.ts";
import { isNew } from "../common/editor/lookups/only-choice.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { explainUnproven } from "../common/editor/unproven.ts";
import { followChoice, OPERATION_TIMEOUT } from "../common/editor/values/dependent-number.ts";
import { NODE } from "./fields.ts";

/** In the form that is open. */
let drafting: JQuery | undefined;

export const form: NodeForm = {
  label: (node) => {
    if (node.action !== "wait" || !node.waitFor) return node._(`operation.action.${String(node.action)}`);
    const status = String(node.waitFor);
    // The name of a variable has no word.
    const hasWord = NODE.fields.waitFor.options.some((option) => option === status);
    const word = hasWord ? node._(`operation.waitFor.${status}`) : status;
    return node._("operation.label-of.wait", { status: word });
  },
  // The default of finalizing is the acceptance by the service: a person who approves wants to know what came of it.
  added(node) {
    if (isNew(node)) node.waitFor = "confirmed_latest";
  },
  opened(node) {
    explainUnproven(node);
    followChoice(node, OPERATION_TIMEOUT);
    chooseDraftOf(node);
  },
  saved(node) {
    const chosen = String(drafting?.val() ?? "");
    if (chosen !== (node.draftOf ?? "")) node.draftOf = chosen;
  },
};

/** Lists the nodes that make drafts. The id is asked for only where none of them is chosen. */
function chooseDraftOf(node: EditedNode): void {
  const stored = String(node.draftOf ?? "");
  const select = $("<select>").css("width", "100%").attr("aria-labelledby", "crec-operation-newest-label");
  const add = (id: string, text: string) => select.append($("<option>").val(id).text(text));
  add("", node._("operation.newest.none"));
  const known = new Set([""]);
  RED.nodes.eachNode((one) => {
    if (one.type !== "crec-submit-operation" || (one.mode !== "draft" && one.id !== stored)) return;
    known.add(one.id);
    add(one.id, RED.utils.getNodeLabel(one, one.id));
  });
  if (!known.has(stored)) add(stored, stored);
  const part = partOf(NODE, "newest").css({ display: "inline-block", width: "70%" });
  drafting = select.val(stored).appendTo(part);
  const show = (): void => {
    const isNewest = ["get", "cancel"].includes(String(inputOf("action").val())) && select.val() !== "";
    $("#crec-operation-operation-row").toggle(inputOf("action").val() !== "list" && !isNewest);
  };
  select.add(inputOf("action")).on("change", show);
  show();
}
