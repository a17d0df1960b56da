import type { ContractCall, FunctionChoice, Value } from "../form-types.ts";
import type { EditedNode } from "./api.ts";
import { JSON_TYPES, TEXT_TYPES } from "./fields.ts";

/** The part of a form that picks a contract, one of its functions, and a value for each parameter. */
export type ContractCallForm = {
  read(): ContractCall;
  /** Whether the chosen function can be paid; undefined while that is not known. */
  payable(): boolean | undefined;
  /** Calls back when another function is on show, and whenever a value has changed. */
  onChange(listener: () => void): void;
};

/** Functions that only read can be asked; those that write can be sent. */
export type Purpose = "ask" | "send";

/** Where the contract comes from: a select of the form's own, or one that Node-RED fills. */
export type ContractSource = { select: JQuery };

/** Builds the fields into `container` and fills them with what is stored. */
export function contractCallForm(
  node: EditedNode,
  container: JQuery,
  stored: ContractCall,
  purpose: Purpose,
  { select: contract }: ContractSource,
): ContractCallForm {
  const id = RED.nodes.id();
  const picked = labelled(node, container, `${id}-function`, "common.label.function", $("<select>"));
  const trouble = $('<div role="alert">')
    .css({ color: "var(--red-ui-text-color-error)" })
    .appendTo(container);
  const parameters = $("<div>").appendTo(container);
  let functions: FunctionChoice[] = [];
  /** The parameters on show, or undefined while it is not known which there are. */
  let inputs: JQuery[] | undefined;
  const listeners: Array<() => void> = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const showParameters = (values: readonly Value[]): void => {
    parameters.empty();
    const chosen = functions.find(({ signature }) => signature === picked.val());
    inputs = chosen?.inputs.map(({ name, type }, index) => {
      const text = `${name || index} (${type})`;
      const input = labelled(node, parameters, `${id}-arg${index}`, text, $('<input type="text">'), false);
      input.attr("placeholder", hintFor(type));
      typed(input, type, values[index]);
      input.on("change", changed);
      return input;
    });
    changed();
  };
  let asked = 0;
  const showFunctions = async (wanted: string, values: readonly Value[]): Promise<void> => {
    asked += 1;
    const question = asked;
    inputs = undefined;
    const found = await functionsOf(node, String(contract.val() ?? ""));
    // The person may have chosen another contract meanwhile.
    if (question !== asked) return;
    trouble.text(found.problem ?? "");
    functions = found.functions.filter(({ stateMutability }) => {
      const reads = stateMutability === "view" || stateMutability === "pure";
      return purpose === "ask" ? reads : !reads;
    });
    picked.empty();
    for (const { signature } of functions) picked.append($("<option>").val(signature).text(signature));
    // What is stored stays, even where the ABI does not have it (any more): the person decides.
    if (wanted && !functions.some(({ signature }) => signature === wanted)) {
      picked.append($("<option>").val(wanted).text(wanted));
    }
    if (wanted) picked.val(wanted);
    showParameters(values);
  };
  contract.on("change", () => {
    const same = contract.val() === stored.contract;
    showFunctions(same ? (stored.function ?? "") : "", same ? (stored.args ?? []) : []);
  });
  picked.on("change", () => showParameters(picked.val() === stored.function ? (stored.args ?? []) : []));
  showFunctions(stored.function ?? "", stored.args ?? []);

  return {
    payable: () => {
      const chosen = functions.find(({ signature }) => signature === picked.val());
      return chosen && chosen.stateMutability === "payable";
    },
    onChange: (listener) => listeners.push(listener),
    read: () => {
      const chosen = {
        contract: String(contract.val() ?? ""),
        function: String(picked.val() ?? stored.function ?? ""),
      };
      if (inputs) {
        const args = inputs.map((input) => ({
          value: input.typedInput("value"),
          type: input.typedInput("type"),
        }));
        return { ...chosen, args };
      }
      const same = chosen.contract === (stored.contract ?? "") && chosen.function === (stored.function ?? "");
      return { ...chosen, args: same ? (stored.args ?? []) : [] };
    },
  };
}

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
  // One made or renamed in between is offered, too.
  select.on("focus", () => fill(String(select.val() ?? "")));
  $('<button type="button" class="red-ui-button">')
    .css("margin-left", "10px")
    .attr("aria-label", node._("common.edit-contract"))
    .append('<i class="fa fa-pencil">')
    .on("click", () => RED.editor.editConfig("", "crec-contract", String(select.val() || "_ADD_")))
    .insertAfter(select);
  return { select };
}

/** A row of a form with its label tied to its field. */
export function labelled(
  node: EditedNode,
  container: JQuery,
  id: string,
  text: string,
  field: JQuery,
  translated = true,
): JQuery {
  const row = $('<div class="form-row">').appendTo(container);
  $("<label>")
    .attr("for", id)
    .text(translated ? node._(text) : text)
    .appendTo(row);
  // The blank that stands between label and field in a template.
  row.append(" ");
  return field.attr("id", id).css("width", "70%").appendTo(row);
}

/** Whole numbers and addresses are text; lists and tuples are JSON. */
function typed(input: JQuery, type: string, stored: Value = {}): void {
  const composite = type.endsWith("]") || type.startsWith("tuple");
  const types = composite ? JSON_TYPES : TEXT_TYPES;
  input.typedInput({ default: composite ? "json" : "str", types: [...types] });
  if (stored.type) input.typedInput("type", stored.type);
  input.typedInput("value", stored.value ?? (composite ? "[]" : ""));
  nameVisibleBox(input);
}

/** The box a typed input shows is not the one the label belongs to. */
export function nameVisibleBox(input: JQuery): void {
  const label = $(`label[for="${input.attr("id")}"]`)
    .text()
    .trim();
  input.closest(".form-row").find(".red-ui-typedInput-input-wrap input").attr("aria-label", label);
}

function hintFor(type: string): string {
  if (type === "address") return "0x…";
  if (type === "bool") return "true";
  return type.startsWith("bytes") ? "0x" : type.includes("int") ? "0" : "";
}

function contracts(node: EditedNode): Array<{ value: string; label: string }> {
  const found: Array<{ value: string; label: string }> = [{ value: "", label: node._("common.choose") }];
  RED.nodes.eachConfig(({ id, type, name, address }) => {
    if (type === "crec-contract") found.push({ value: id, label: name || String(address) });
  });
  return found;
}

async function functionsOf(
  node: EditedNode,
  id: string,
): Promise<{ functions: FunctionChoice[]; problem?: string }> {
  const abi = RED.nodes.node(id)?.abi;
  if (typeof abi !== "string" || abi === "") return { functions: [] };
  const request = $.ajax({
    url: "crec/abi/functions",
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ id, abi }),
  });
  return new Promise((resolve) => {
    request.then(
      (functions: FunctionChoice[]) => resolve({ functions }),
      ({ responseJSON }: JQuery.jqXHR) =>
        resolve({ functions: [], problem: responseJSON?.message ?? node._("common.error.functions") }),
    );
  });
}
