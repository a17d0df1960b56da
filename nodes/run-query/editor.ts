import type { EditedNode, Validator } from "../lib/editor/api.ts";
import { type ContractCallForm, callProblem, contractCallForm } from "../lib/editor/contract-call.ts";
import { hintUnder, problemUnder } from "../lib/editor/form-rows.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { searchedField, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { ADDRESS, atPresent, both, DIGITS, filled, matching, numberFrom } from "../lib/editor/validate.ts";
import type { ContractCall } from "../lib/shared/form-types.ts";

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
let form: ContractCallForm | undefined;

forms.registerType("crec-run-query", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "run-query.svg",
  inputs: 1,
  outputs: 2,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    kind: { value: "contract", required: true },
    contract: { value: "", type: "crec-contract", required: false },
    call: {
      value: {},
      validate(_value, _options) {
        return atPresent(this, "kind") === "raw" || callProblem(this, callOf(this)) || true;
      },
    },
    resultUnit: { value: "" },
    chainSelector: { value: "", validate: rawTyped("chainSelector", DIGITS, "run-query.error.network") },
    chainSelectorType: { value: "str" },
    to: { value: "", validate: rawTyped("to", ADDRESS, "run-query.error.to") },
    toType: { value: "str" },
    data: {
      value: "0x",
      validate(value, options) {
        if (atPresent(this, "kind") !== "raw" || !isTypedIn(this, "data")) return true;
        return matching(BYTES, "run-query.error.data").call(this, value, options);
      },
    },
    dataType: { value: "str" },
    block: { value: "latest", required: true },
    blockNumber: {
      value: "",
      validate(value, options) {
        if (atPresent(this, "block") !== "block_number" || !isTypedIn(this, "blockNumber")) return true;
        return filledWith(DIGITS, "run-query.error.number").call(this, value, options);
      },
    },
    blockNumberType: { value: "str" },
    from: {
      value: "",
      validate(value, options) {
        if (!isTypedIn(this, "from")) return true;
        return matching(ADDRESS, "common.error.address").call(this, value, options);
      },
    },
    fromType: { value: "str" },
    verify: { value: true },
    timeout: { value: "60", validate: numberFrom(1, "common.error.seconds") },
  },
  paletteLabel() {
    return this._("run-query.palette");
  },
  label() {
    return this.name || this._("run-query.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  outputLabels(index) {
    return this._(index === 0 ? "run-query.output.result" : "run-query.output.status");
  },
  oneditprepare() {
    const call = callOf(this);
    const select = $("#node-input-contract");
    if (call.contract) select.val(call.contract);
    form = contractCallForm(this, $("#crec-run-query-call"), call, "ask", { select });
    for (const name of ["to", "data", "blockNumber", "from"]) typedField(name);
    showNetwork(this);
    showUnit(this, select);
    hintUnder($("#node-input-from")).say(this._("run-query.hint.from"));
    const blockHint = hintUnder($("#node-input-block"));
    $("#node-input-kind")
      .on("change", () => {
        const raw = $("#node-input-kind").val() === "raw";
        toggle(".crec-run-query-contract", !raw);
        toggle(".crec-run-query-raw", raw);
      })
      .trigger("change");
    $("#node-input-block")
      .on("change", () => {
        const block = String($("#node-input-block").val() ?? "latest");
        toggle(".crec-run-query-number", block === "block_number");
        blockHint.say(this._(`run-query.hint.${block}`));
      })
      .trigger("change");
  },
  oneditsave() {
    const { contract: _kept, ...call } = form?.read() ?? {};
    this.call = call;
  },
});

function isTypedIn(node: EditedNode, name: string): boolean {
  return (atPresent(node, `${name}Type`) || "str") === "str";
}

/** With the contract of its own field, which follows an import. */
function callOf(node: EditedNode): ContractCall {
  const call = (node.call ?? {}) as ContractCall;
  return { ...call, contract: String(node.contract || call.contract || "") };
}

function showNetwork(node: EditedNode): void {
  const channel = () => RED.nodes.node(String($("#node-input-channel").val() ?? ""));
  const connection = () => String(channel()?.connection ?? "");
  const field = searchedField("chainSelector", node._("common.label.typed"), lookUp("networks", connection));
  const described = describeUnder(node, field, "networks", connection, "run-query.error.network-unknown");
  $("#node-input-channel").on("change", () => described.now());
}

/** Tokens need to know how many decimal places they have. */
function showUnit(node: EditedNode, contract: JQuery): void {
  const unit = $("#node-input-resultUnit");
  if (!node.resultUnit) unit.val("");
  const problem = problemUnder(unit);
  const check = (): void => {
    const chosen = RED.nodes.node(String(contract.val() ?? ""));
    const without = unit.val() === "token" && chosen && String(chosen.decimals ?? "").trim() === "";
    problem.say(without ? node._("run-query.hint.no-decimals") : "");
  };
  unit.add(contract).on("change", check);
  check();
}

function filledWith(test: RegExp, message: string): Validator {
  return both(filled(message), matching(test, message));
}

/** For what only raw call data needs, and only where it is typed in. */
function rawTyped(name: string, test: RegExp, message: string): Validator {
  return function (value, options) {
    if (atPresent(this, "kind") !== "raw" || !isTypedIn(this, name)) return true;
    return filledWith(test, message).call(this, value, options);
  };
}
