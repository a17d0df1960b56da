import type { Validator } from "../lib/editor/api.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { TEXT_TYPES, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { atPresent, numberFrom } from "../lib/editor/validate.ts";

/** Which fields an action needs, by the name of its row in the form. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  "networks.list": [],
  "networks.get": ["target"],
  "channels.list": [],
  "channels.get": ["target"],
  "channels.create-or-find": ["target", "description"],
  "channels.rename": ["target", "new-name"],
  "channels.archive": ["target"],
  "watchers.list": ["channel"],
  "watchers.get": ["channel", "target"],
  "watchers.rename": ["channel", "target", "new-name"],
  "watchers.archive": ["channel", "target", "timeout"],
  "wallets.list": [],
  "wallets.get": ["target"],
  "wallets.create-or-find": ["wallet", "description", "timeout"],
  "wallets.rename": ["target", "new-name"],
  "wallets.archive": ["target"],
  "queries.list": ["channel"],
  "queries.get": ["channel", "target"],
};

/** A channel and a wallet bring their own connection: another one beside them would not be used. */
function needsConnection(action: unknown): boolean {
  const needs = NEEDS[String(action)] ?? [];
  return !needs.includes("channel") && !needs.includes("wallet");
}

/** Text that the chosen action cannot do without. */
function needed(row: string, message: string): Validator {
  return function (value, _options) {
    const asked = NEEDS[String(atPresent(this, "action"))]?.includes(row);
    return !asked || String(value ?? "").trim() !== "" || this._(message);
  };
}

/** A config node that the chosen action cannot do without. */
function chosen(row: string, message: string): Validator {
  return function (value, _options) {
    const asked = NEEDS[String(atPresent(this, "action"))]?.includes(row);
    return !asked || (Boolean(value) && value !== "_ADD_") || this._(message);
  };
}

forms.registerType("crec-manage", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "manage.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    connection: {
      value: "",
      type: "crec-connection",
      required: false,
      validate(value, _options) {
        const chosen = Boolean(value) && value !== "_ADD_";
        return chosen || !needsConnection(atPresent(this, "action")) || this._("manage.error.connection");
      },
    },
    channel: {
      value: "",
      type: "crec-channel",
      required: false,
      validate: chosen("channel", "manage.error.channel"),
    },
    wallet: {
      value: "",
      type: "crec-wallet",
      required: false,
      validate: chosen("wallet", "manage.error.wallet"),
    },
    action: { value: "channels.list", required: true },
    target: { value: "", validate: needed("target", "manage.error.target") },
    targetType: { value: "str" },
    newName: { value: "", validate: needed("new-name", "manage.error.new-name") },
    newNameType: { value: "str" },
    description: { value: "" },
    descriptionType: { value: "str" },
    timeout: { value: "60", validate: numberFrom(1, "common.error.seconds") },
  },
  paletteLabel() {
    return this._("manage.palette");
  },
  label() {
    return this.name || this._(`manage.action.${String(this.action).replace(".", "-")}`);
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    const connection = () => String($("#node-input-connection").val() ?? "");
    const channel = () => String($("#node-input-channel").val() ?? "");
    const action = () => String($("#node-input-action").val() ?? "");
    const resource = () => action().split(".")[0] ?? "";
    const asked = () => (["watchers", "queries"].includes(resource()) ? channel() : connection());
    typedField("target", [
      {
        value: "str",
        label: this._("manage.label.name-or-id"),
        icon: "red/images/typedInput/az.svg",
        autoComplete: lookUp(resource, asked),
      },
      ...TEXT_TYPES.slice(1),
    ]);
    const described = describeUnder(this, $("#node-input-target"), resource, asked);
    $("#node-input-connection, #node-input-channel, #node-input-action").on("change", () => described.now());
    typedField("newName");
    typedField("description");
    $("#node-input-action")
      .on("change", () => {
        const needed = NEEDS[action()] ?? [];
        toggle(".crec-manage-connection", needsConnection(action()));
        for (const row of ["channel", "wallet", "target", "new-name", "description", "timeout"]) {
          toggle(`.crec-manage-${row}`, needed.includes(row));
        }
      })
      .trigger("change");
  },
});
