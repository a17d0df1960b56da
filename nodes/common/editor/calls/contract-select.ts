import type { Answer, Choices, FunctionChoice } from "../../shared/form-types.ts";
import { ADD_NEW, isChosen } from "../../shared/variables.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder, labelled } from "../form-rows.ts";
import { getJson } from "../lookups/admin-requests.ts";
import { descriptionOf } from "../lookups/lookup.ts";
import { liveCheck, onContractChange } from "../while-open.ts";

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

/** Functions that only read can be asked; those that write can be sent. */
export type Purpose = "ask" | "send";

/** Whether a function changes nothing. */
export function isRead({ stateMutability }: FunctionChoice): boolean {
  return stateMutability === "view" || stateMutability === "pure";
}

/**
 * The functions that fit the purpose, by name. Overloads are next to each other, with their signatures. With `isAll`,
 * those that write can be asked, too: nothing of such a call stays.
 */
export function fillFunctions(
  node: EditedNode,
  select: JQuery,
  functions: readonly FunctionChoice[],
  purpose: Purpose,
  isAll: boolean,
): void {
  const sorted = [...functions].sort((one, other) => one.signature.localeCompare(other.signature));
  select.empty().append($("<option>").val("").text(node._("common.choose-function")));
  if (purpose === "send") {
    for (const one of sorted.filter((each) => !isRead(each))) select.append(option(node, one));
    return;
  }
  select.append(sorted.filter(isRead).map((one) => option(node, one)));
  const tried = sorted.filter((one) => !isRead(one)).map((one) => option(node, one));
  if (isAll && tried.length > 0) {
    $("<optgroup>").attr("label", node._("common.only-tried")).append(tried).appendTo(select);
  }
}

function option(node: EditedNode, { signature, stateMutability }: FunctionChoice): JQuery {
  const paid = stateMutability === "payable" ? ` · ${node._("common.payable")}` : "";
  return $("<option>").val(signature).text(`${signature}${paid}`);
}

/**
 * Says under the contract of a form on which network it is, and how final the blocks are that are reported there: where
 * the service says that, and both are deployed. `field` is that of the connection, or of what has one.
 */
export function describeContractNetwork(field: JQuery, connection: (chosen: string) => string): void {
  const contract = $("#node-input-contract");
  const hint = hintUnder(contract);
  const look = liveCheck<Answer<Choices>>(
    contract,
    () => {
      const [asked, its] = [connection(String(field.val() ?? "")), String(contract.val() ?? "")];
      if (!isChosen(asked) || !isChosen(its)) return undefined;
      const path = `crec/lookup/contract-network/${encodeURIComponent(asked)}`;
      return getJson(`${path}?text=${encodeURIComponent(its)}`);
    },
    (answer) => {
      const network = answer?.problem === undefined ? answer?.choices[0] : undefined;
      hint.say(network?.note ? descriptionOf(network, "") : "");
    },
  );
  contract.add(field).on("change", () => look.now());
  look.now();
}
