import { checkAddress } from "../lib/editor/check-address.ts";
import { layOutHints } from "../lib/editor/hints.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { ADDRESS, both, DIGITS, filled, matching } from "../lib/editor/validate.ts";
import { jsonProblem } from "./json-object.ts";

/** What begins like an address is to be one. */
const NAME_OR_ADDRESS = { test: (text: string) => !text.startsWith("0x") || ADDRESS.test(text) };

const JSON_OBJECT = { test: (text: string) => jsonProblem(text) !== "not-object" };
const EXACT_NUMBERS = { test: (text: string) => jsonProblem(text) !== "rounded-number" };

forms.registerType("crec-wallet", {
  category: "config",
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    chainSelector: {
      value: "",
      validate: both(filled("wallet.error.network"), matching(DIGITS, "wallet.error.network")),
    },
    wallet: {
      value: "",
      validate: both(filled("wallet.error.wallet"), matching(NAME_OR_ADDRESS, "common.error.address")),
    },
    signer: { value: "", type: "crec-signer", required: false },
    configuration: {
      value: "",
      validate: both(
        matching(JSON_OBJECT, "wallet.error.configuration"),
        matching(EXACT_NUMBERS, "wallet.error.number"),
      ),
    },
  },
  label() {
    return this.name || String(this.wallet || "") || this._("wallet.label.wallet");
  },
  oneditprepare() {
    const connection = () => String($("#node-config-input-connection").val() ?? "");
    const network = $("#node-config-input-chainSelector");
    network.autoComplete({ minLength: 0, search: lookUp("networks", connection) });
    const wallet = $("#node-config-input-wallet");
    wallet.autoComplete({ minLength: 0, search: lookUp("wallets", connection) });
    const described = [
      describeUnder(this, network, "networks", connection, "wallet.error.network-unknown"),
      describeUnder(this, wallet, "wallets", connection, "wallet.hint.missing"),
    ];
    $("#node-config-input-connection").on("change", () => {
      for (const one of described) one.now();
    });
    checkAddress(this, wallet);
    layOutHints();
  },
});
