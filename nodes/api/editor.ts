import { forms } from "../lib/editor/register.ts";
import { JSON_TYPES, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { atPresent } from "../lib/editor/validate.ts";

forms.registerType("crec-api", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "api.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    method: { value: "GET", required: true },
    path: {
      value: "/networks",
      validate(value, _options) {
        const typed = (atPresent(this, "pathType") || "str") === "str";
        return !typed || String(value ?? "").startsWith("/") || this._("api.error.path");
      },
    },
    pathType: { value: "str" },
    query: { value: "{}" },
    queryType: { value: "json" },
    body: { value: "{}" },
    bodyType: { value: "json" },
  },
  paletteLabel() {
    return this._("api.palette");
  },
  label() {
    const path = this.pathType === "str" ? ` ${this.path}` : "";
    return this.name || `${this.method}${path}`;
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    typedField("path");
    // A node of before there was a query: nothing at all is no JSON.
    if (!this.query) $("#node-input-query").val("{}");
    typedField("query", JSON_TYPES);
    typedField("body", JSON_TYPES);
    $("#node-input-method")
      .on("change", () => toggle(".crec-api-body", $("#node-input-method").val() !== "GET"))
      .trigger("change");
  },
});
