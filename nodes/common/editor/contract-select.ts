import { ADD_NEW } from "../shared/variables.ts";
import type { EditedNode } from "./api.ts";
import { onContractChange } from "./config-change.ts";
import { labelled } from "./form-rows.ts";

/** Where the contract comes from: a select of the form's own, or one that Node-RED fills. */
export type ContractSource = { select: JQuery };

/** A select of the contracts there are, with buttons to edit the chosen one and to add another one. */
export function contractSelect(node: EditedNode, container: JQuery, stored: string): ContractSource {
  const id = RED.nodes.id();
  const select = labelled(node, container, id, "common.label.contract", $("<select>"));
  select.css("width", "calc(70% - 90px)");
  /** The contract that the button here has opened a form for. It exists once that form is closed with Done. */
  let added = "";
  const fill = (chosen: string): void => {
    select.empty();
    for (const { value, label } of contracts(node)) select.append($("<option>").val(value).text(label));
    select.val(chosen);
  };
  const edit = button(node, "pencil", "common.edit-contract", () => {
    RED.editor.editConfig("", "crec-contract", String(select.val()));
  });
  const add = button(node, "plus", "common.add-contract", () => {
    RED.editor.editConfig("", "crec-contract", ADD_NEW);
    added = RED.editor.getEditStack().at(-1)?.id ?? "";
  });
  select.after(edit, add);
  const enable = (): void => void edit.prop("disabled", (select.val() ?? "") === "");
  select.on("change", enable);
  fill(stored);
  enable();
  // One that is made or renamed in between is offered, too.
  onContractChange(container, (contract) => {
    const isAdded = contract.id === added;
    fill(isAdded ? contract.id : String(select.val() ?? ""));
    if (!isAdded) return;
    added = "";
    select.trigger("change");
  });
  return { select };
}

function button(node: EditedNode, icon: string, name: string, press: () => void): JQuery {
  return $('<button type="button" class="red-ui-button">')
    .css("margin-left", "10px")
    .attr({ "aria-label": node._(name), title: node._(name) })
    .append($('<i class="fa" aria-hidden="true">').addClass(`fa-${icon}`))
    .on("click", press);
}

function contracts(node: EditedNode): Array<{ value: string; label: string }> {
  const found: Array<{ value: string; label: string }> = [{ value: "", label: node._("common.choose") }];
  RED.nodes.eachConfig((config) => {
    if (config.type === "crec-contract")
      found.push({ value: config.id, label: RED.utils.getNodeLabel(config) });
  });
  return found;
}
