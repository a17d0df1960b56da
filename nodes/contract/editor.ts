import { lookUp } from "../lib/editor/lookup.ts";
import { ADDRESS, both, DIGITS, filled, matching } from "../lib/editor/validate.ts";

RED.nodes.registerType("crec-contract", {
  category: "config",
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: false },
    chainSelector: {
      value: "",
      required: true,
      validate: both(filled("contract.error.network"), matching(DIGITS, "contract.error.network")),
    },
    address: {
      value: "",
      required: true,
      validate: both(filled("common.error.address"), matching(ADDRESS, "common.error.address")),
    },
    abi: { value: "", required: true, validate: filled("contract.error.abi") },
  },
  label() {
    return this.name || String(this.address || "") || this._("contract.label.contract");
  },
  oneditprepare() {
    const connection = () => String($("#node-config-input-connection").val() ?? "");
    $("#node-config-input-chainSelector").autoComplete({
      minLength: 0,
      search: lookUp("networks", connection),
    });
  },
});
