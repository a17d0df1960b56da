import type { ContractCall, FunctionChoice, Value } from "../form-types.ts";
import type { EditedNode } from "./api.ts";
import { JSON_TYPES, TEXT_TYPES } from "./fields.ts";

/** The part of a form that picks a contract, one of its functions, and a value for each parameter. */
export type ContractCallForm = { read(): ContractCall };

/** Functions that only read can be asked; those that write can be sent. */
export type Purpose = "ask" | "send";

/** Builds the fields into `container` and fills them with what is stored. */
export function contractCallForm(
  node: EditedNode,
  container: JQuery,
  stored: ContractCall,
  purpose: Purpose,
): ContractCallForm {
  const id = RED.nodes.id();
  const contract = labelled(node, container, `${id}-contract`, "common.label.contract", $("<select>"));
  const picked = labelled(node, container, `${id}-function`, "common.label.function", $("<select>"));
  const trouble = $('<div role="alert">')
    .css({ color: "var(--red-ui-text-color-error)" })
    .appendTo(container);
  const parameters = $("<div>").appendTo(container);
  let functions: FunctionChoice[] = [];
  let args: Array<{ input: JQuery }> = [];

  for (const { value, label } of contracts(node)) contract.append($("<option>").val(value).text(label));
  contract.val(stored.contract ?? "");

  const showParameters = (values: readonly Value[]): void => {
    parameters.empty();
    const chosen = functions.find(({ signature }) => signature === picked.val());
    args = (chosen?.inputs ?? []).map(({ name, type }, index) => {
      const key = `${id}-arg${index}`;
      const input = labelled(
        node,
        parameters,
        key,
        `${name || index} (${type})`,
        $('<input type="text">'),
        false,
      );
      input.attr("placeholder", hintFor(type));
      typed(input, type, values[index]);
      return { input };
    });
  };
  const showFunctions = async (wanted: string, values: readonly Value[]): Promise<void> => {
    const found = await functionsOf(String(contract.val() ?? ""));
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
  contract.on("change", () => showFunctions("", []));
  picked.on("change", () => showParameters([]));
  showFunctions(stored.function ?? "", stored.args ?? []);

  return {
    read: () => ({
      contract: String(contract.val() ?? ""),
      function: String(picked.val() ?? stored.function ?? ""),
      args: args.map(({ input }) => ({ value: input.typedInput("value"), type: input.typedInput("type") })),
    }),
  };
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

async function functionsOf(contractId: string): Promise<{ functions: FunctionChoice[]; problem?: string }> {
  const abi = RED.nodes.node(contractId)?.abi;
  if (typeof abi !== "string" || abi === "") return { functions: [] };
  const request = $.ajax({
    url: "crec/abi/functions",
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ abi }),
  });
  return new Promise((resolve) => {
    request.then(
      (functions: FunctionChoice[]) => resolve({ functions }),
      (failure: JQuery.jqXHR) =>
        resolve({ functions: [], problem: failure.responseJSON?.message ?? failure.statusText }),
    );
  });
}
