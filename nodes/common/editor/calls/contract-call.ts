import type { FunctionChoice, ParameterChoice } from "../../shared/form-types.ts";
import type { ContractCall, Value } from "../../shared/stored-values.ts";
import type { EditedNode } from "../api.ts";
import { hintUnder, labelled, problemUnder } from "../form-rows.ts";
import { offeredBy } from "../lookups/abi.ts";
import { isNew } from "../lookups/only-choice.ts";
import { type ValueField, valueField } from "../values/value-field.ts";
import { onContractChange, trackOpen } from "../while-open.ts";
import { noteParameters } from "./call-problem.ts";
import type { ContractSource } from "./contract-select.ts";
import { fillFunctions, isRead, type Purpose } from "./contract-select.ts";
import { decimalsAt, isKnownNumber } from "./decimals.ts";

/** The part of a form with a contract, one of its functions, and a value for each parameter. */
export type ContractCallForm = {
  read(): ContractCall;
  /** Whether the chosen function is payable; `undefined` while that is not known. */
  payable(): boolean | undefined;
  /** Calls back when another function is shown, and when a value has changed. */
  onChange(listener: () => void): void;
};

/**
 * Builds the fields into `container` and fills them with the stored values. These are kept when the ABI cannot be
 * parsed.
 */
export function contractCallForm(
  node: EditedNode,
  container: JQuery,
  stored: ContractCall,
  purpose: Purpose,
  { select: contract }: ContractSource,
): ContractCallForm {
  const id = RED.nodes.id();
  const picked = labelled(node, container, `${id}-function`, "common.label.function", $("<select>"));
  const all = purpose === "ask" ? allBox(node, picked) : undefined;
  const tried = hintUnder(picked);
  const problem = problemUnder(picked);
  const parameters = $("<div>").appendTo(container);
  const listeners: Array<() => void> = [];
  const changed = (): void => {
    explainDecimals();
    for (const listener of listeners) listener();
  };
  const address = valueField(node, container, {
    id: `${id}-address`,
    label: node._("common.label.other-address"),
    parameter: { name: "", type: "address" },
    stored: stored.address,
    placeholder: node._("common.own-address"),
    optional: true,
    network: () => networkOf(contract),
    changed: () => (decimalsOf() === shownDecimals ? changed() : showAgain()),
  });

  const decimalsOf = (): string => decimalsAt(String(contract.val() ?? ""), address.read());
  /** Those that the fields of the parameters were built with. */
  let shownDecimals = "";

  let functions: FunctionChoice[] = [];
  /** Of the parameters that are shown; `undefined` while they are not known. */
  let fields: ValueField[] | undefined;
  /** The signature of the function that is shown, and the one that was last chosen: another contract may not have it. */
  let shown = stored.function ?? "";
  let chosenLast = shown;
  /** The values of each function, so that nothing is lost when another one is chosen. */
  const values = new Map<string, readonly Value[]>([[shown, stored.args ?? []]]);

  const keepValues = (): void => {
    if (fields) values.set(shown, valuesOf(fields));
  };
  const nameOf = ({ name }: ParameterChoice, index: number): string =>
    name || node._("common.label.parameter", { number: index + 1 });
  /** Which decimals amounts at another address have is known later, where no contract of the editor tells. */
  function explainDecimals(): void {
    const isCounted = fields?.some((field) => field.read().unit === "token") === true;
    const isLater = address.read().value !== "" && !isKnownNumber(decimalsOf());
    address.note.say(isCounted && isLater ? node._("common.hint.other-decimals") : "");
  }
  function showAgain(): void {
    keepValues();
    showParameters();
  }
  const showParameters = (): void => {
    shown = String(picked.val() ?? "");
    shownDecimals = decimalsOf();
    address.row.toggle(shown !== "" || address.read().value !== "");
    // New fields report changes while they are built, and the old ones no longer exist.
    fields = undefined;
    parameters.empty();
    const known = values.get(shown) ?? [];
    const found = functions.find(({ signature }) => signature === shown);
    tried.say(all && found && !isRead(found) ? node._("common.only-tried") : "");
    fields = found?.inputs.map((parameter, index) =>
      valueField(node, parameters, {
        id: `${id}-arg${index}`,
        label: `${nameOf(parameter, index)} (${parameter.type})`,
        name: nameOf(parameter, index),
        parameter,
        stored: known[index],
        decimals: shownDecimals,
        network: () => networkOf(contract),
        changed,
      }),
    );
    changed();
  };

  let newest = 0;
  const isOpen = trackOpen(container);
  const showFunctions = async (): Promise<void> => {
    newest += 1;
    const request = newest;
    const chosen = String(contract.val() ?? "");
    const offered = await offeredBy<FunctionChoice>(node, "functions", chosen);
    // The contract was changed, or the form closed, while this was loading.
    if (request !== newest || !isOpen()) return;
    keepValues();
    functions = offered.found ?? [];
    if (chosenLast === "" && isNew(node)) chosenLast = likelyFunction(functions, purpose);
    all?.offer(functions, chosenLast);
    noteParameters(chosen, functions);
    fillFunctions(node, picked, functions, purpose, all?.isTicked() === true);
    const gone = chosenLast !== "" && !functions.some(({ signature }) => signature === chosenLast);
    // A stored function that the contract no longer has stays chosen and is reported.
    const stays = !offered.found || chosen === (stored.contract ?? "");
    if (chosenLast !== "" && !hasOption(picked, chosenLast) && (stays || !gone)) {
      picked.append($("<option>").val(chosenLast).text(chosenLast));
    }
    picked.val(hasOption(picked, chosenLast) ? chosenLast : "");
    const missing = gone && stays && offered.found ? node._("common.error.no-function") : "";
    problem.say(offered.problem ?? missing);
    showParameters();
  };
  contract.on("change", () => showFunctions());
  onContractChange(container, ({ id: edited }) => {
    if (edited === contract.val()) showFunctions();
  });
  all?.box.on("change", () => {
    const chosen = String(picked.val() ?? "");
    fillFunctions(node, picked, functions, purpose, all.isTicked());
    picked.val(hasOption(picked, chosen) ? chosen : "").trigger("change");
  });
  picked.on("change", () => {
    keepValues();
    chosenLast = String(picked.val() ?? "");
    problem.say("");
    showParameters();
  });
  showFunctions();

  return {
    payable: () => {
      const found = functions.find(({ signature }) => signature === shown);
      return found && found.stateMutability === "payable";
    },
    onChange: (listener) => void listeners.push(listener),
    read: () => {
      // Before the ABI is loaded the select has no options.
      const signature = String(picked.val() ?? chosenLast);
      const other = address.read();
      return {
        contract: String(contract.val() ?? ""),
        function: signature,
        args: fields ? valuesOf(fields) : [...(values.get(signature) ?? [])],
        ...(other.value || stored.address ? { address: other } : {}),
      };
    },
  };
}

/** A box beside the functions that shows those that write, too; ticked where one of them is chosen. */
function allBox(node: EditedNode, select: JQuery) {
  const box = $('<input type="checkbox">').css({ width: "auto", margin: "0 4px 0 0" });
  const label = $("<label>")
    .css({ width: "60px", "margin-left": "10px" })
    .attr("title", node._("common.only-tried"))
    .append(box, document.createTextNode(node._("common.all")))
    .hide()
    .insertAfter(select.css("width", "calc(70% - 70px)"));
  const isTicked = () => box.prop("checked") === true;
  const offer = (functions: readonly FunctionChoice[], chosen: string): void => {
    const others = functions.filter((one) => !isRead(one));
    label.toggle(others.length > 0);
    if (others.some(({ signature }) => signature === chosen)) box.prop("checked", true);
  };
  return { box, isTicked, offer };
}

/** What a new form begins with: the only function there is, or what most people ask of a token. */
function likelyFunction(functions: readonly FunctionChoice[], purpose: Purpose): string {
  const fitting = functions
    .filter((one) => isRead(one) === (purpose === "ask"))
    .map(({ signature }) => signature);
  if (fitting.length === 1) return String(fitting[0]);
  return fitting.find((signature) => signature === "balanceOf(address)") ?? "";
}

function networkOf(contract: JQuery): string {
  return String(RED.nodes.node(String(contract.val() ?? ""))?.chainSelector ?? "");
}

function valuesOf(fields: readonly ValueField[]): Value[] {
  return fields.map((field) => field.read());
}

function hasOption(select: JQuery, value: string): boolean {
  return select
    .find("option")
    .toArray()
    .some((option) => $(option).val() === value);
}
