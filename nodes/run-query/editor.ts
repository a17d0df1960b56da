import { type ContractCallForm, contractCallForm } from "../lib/editor/contract-call.ts";
import { toggle, typedField } from "../lib/editor/fields.ts";
import { CATEGORY, COLOR } from "../lib/editor/look.ts";
import { DIGITS, matching, numberFrom } from "../lib/editor/validate.ts";
import type { ContractCall } from "../lib/form-types.ts";

let form: ContractCallForm | undefined;

RED.nodes.registerType("crec-run-query", {
  category: CATEGORY,
  color: COLOR,
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
        const call = (this.call ?? {}) as ContractCall;
        const chosen = Boolean(this.contract || call.contract) && Boolean(call.function);
        return this.kind === "raw" || chosen || this._("run-query.error.call");
      },
    },
    chainSelector: {
      value: "",
      validate(value, options) {
        if (this.kind !== "raw") return true;
        return value
          ? matching(DIGITS, "run-query.error.network").call(this, value, options)
          : this._("run-query.error.network");
      },
    },
    to: { value: "" },
    toType: { value: "str" },
    data: { value: "0x" },
    dataType: { value: "str" },
    block: { value: "latest", required: true },
    blockNumber: { value: "" },
    blockNumberType: { value: "str" },
    from: { value: "" },
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
    const call = (this.call ?? {}) as ContractCall;
    const contract = String(this.contract || call.contract || "");
    const select = $("#node-input-contract");
    if (contract) select.val(contract);
    form = contractCallForm(this, $("#crec-run-query-call"), { ...call, contract }, "ask", { select });
    for (const name of ["to", "data", "blockNumber", "from"]) typedField(name);
    $("#node-input-kind")
      .on("change", () => {
        const raw = $("#node-input-kind").val() === "raw";
        toggle(".crec-run-query-contract", !raw);
        toggle(".crec-run-query-raw", raw);
      })
      .trigger("change");
    $("#node-input-block")
      .on("change", () => toggle(".crec-run-query-number", $("#node-input-block").val() === "block_number"))
      .trigger("change");
  },
  oneditsave() {
    const { contract: _kept, ...call } = form?.read() ?? {};
    this.call = call;
  },
});
