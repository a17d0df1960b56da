import type { EditedNode } from "./api.ts";
import { onContractChange } from "./config-change.ts";
import { labelled } from "./form-rows.ts";

/** Where the contract comes from: a select of the form's own, or one that Node-RED fills. */
export type ContractSource = { select: JQuery };

/** A select of the contracts there are, with a button to make another one. */
export function contractSelect(node: EditedNode, container: JQuery, stored: string): ContractSource {
  const id = RED.nodes.id();
  const select = labelled(node, container, id, "common.label.contract", $("<select>"));
  select.css("width", "calc(70% - 45px)");
  const fill = (chosen: string): void => {
    select.empty();
    for (const { value, label } of contracts(node)) select.append($("<option>").val(value).text(label));
    select.val(chosen);
  };
  fill(stored);
  // One that is made or renamed in between is offered, too.
  onContractChange(container, () => fill(String(select.val() ?? "")));
  $('<button type="button" class="red-ui-button">')
    .css("margin-left", "10px")
    .attr("aria-label", node._("common.edit-contract"))
    .append('<i class="fa fa-pencil">')
    .on("click", () => RED.editor.editConfig("", "crec-contract", String(select.val() || "_ADD_")))
    .insertAfter(select);
  return { select };
}

function contracts(node: EditedNode): Array<{ value: string; label: string }> {
  const found: Array<{ value: string; label: string }> = [{ value: "", label: node._("common.choose") }];
  RED.nodes.eachConfig(({ id, type, name, address }) => {
    if (type === "crec-contract") found.push({ value: id, label: name || String(address) });
  });
  return found;
}
