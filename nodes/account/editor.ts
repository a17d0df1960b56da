import { forms } from "../lib/editor/register.ts";
import { JSON_TYPES, TEXT_TYPES, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { atPresent } from "../lib/editor/validate.ts";

const DETAILS = "query {\n  getAccountDetails { memberId displayName emailAddress }\n}";

forms.registerType("crec-account", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "account.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    action: { value: "details", required: true },
    query: {
      value: DETAILS,
      validate(value, _options) {
        const asked = atPresent(this, "action") === "query";
        return !asked || String(value ?? "").trim() !== "" || this._("account.error.query");
      },
    },
    queryType: { value: "str" },
    variables: {
      value: "{}",
      validate(value, _options) {
        const kind = atPresent(this, "variablesType") || "json";
        const typed = atPresent(this, "action") === "query" && kind === "json";
        return !typed || isObject(String(value ?? "")) || this._("account.error.variables");
      },
    },
    variablesType: { value: "json" },
    operationName: { value: "" },
  },
  paletteLabel() {
    return this._("account.palette");
  },
  label() {
    return this.name || this._(`account.action.${this.action === "query" ? "query" : "details"}`);
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    const source = $("#crec-account-source");
    const text = $("#node-input-query");
    const typed = () => source.typedInput("type") === "str";
    // A query has lines, which a typed input has not: typed in, it stands in an area of its own.
    source.typedInput({
      default: "str",
      types: [
        {
          value: "str",
          label: this._("account.label.typed"),
          icon: "red/images/typedInput/az.svg",
          hasValue: false,
        },
        ...TEXT_TYPES.slice(1),
      ],
      typeField: "#node-input-queryType",
    });
    if (!typed()) {
      source.typedInput("value", String(this.query ?? ""));
      text.val(DETAILS);
    }
    const show = (): void => {
      const asks = $("#node-input-action").val() === "query";
      toggle(".crec-account-query", asks);
      toggle(".crec-account-text", asks && typed());
    };
    typedField("variables", JSON_TYPES);
    source.on("change", show);
    $("#node-input-action").on("change", show).trigger("change");
  },
  oneditsave() {
    const source = $("#crec-account-source");
    if (source.typedInput("type") !== "str") $("#node-input-query").val(source.typedInput("value"));
  },
});

function isObject(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
