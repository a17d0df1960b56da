import { lookUp } from "../lib/editor/lookup.ts";
import { both, DIGITS, filled, matching } from "../lib/editor/validate.ts";

RED.nodes.registerType("crec-wallet", {
  category: "config",
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    chainSelector: {
      value: "",
      required: true,
      validate: both(filled("wallet.error.network"), matching(DIGITS, "wallet.error.network")),
    },
    wallet: { value: "", required: true, validate: filled("wallet.error.wallet") },
    signer: { value: "", type: "crec-signer", required: true },
  },
  label() {
    return this.name || String(this.wallet || "") || this._("wallet.label.wallet");
  },
  oneditprepare() {
    const connection = () => String($("#node-config-input-connection").val() ?? "");
    $("#node-config-input-chainSelector").autoComplete({
      minLength: 0,
      search: lookUp("networks", connection),
    });
    $("#node-config-input-wallet").autoComplete({ minLength: 0, search: lookUp("wallets", connection) });
  },
});
