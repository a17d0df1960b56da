import type { Validator } from "../lib/editor/api.ts";
import { JSON_TYPES, TEXT_TYPES, toggle, typedField } from "../lib/editor/fields.ts";
import { CATEGORY, COLOR } from "../lib/editor/look.ts";
import { lookUp } from "../lib/editor/lookup.ts";
import { ADDRESS, both, DIGITS, filled, matching, numberFrom } from "../lib/editor/validate.ts";

/** What a watcher by service must have; one by contract has it from there. */
function forService(test: RegExp, message: string): Validator {
  return function (value, options) {
    if (this.source !== "service") return true;
    return both(filled(message), matching(test, message)).call(this, value, options);
  };
}

RED.nodes.registerType("crec-create-watcher", {
  category: CATEGORY,
  color: COLOR,
  icon: "create-watcher.svg",
  inputs: 1,
  outputs: 2,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    watcherName: {
      value: "",
      required: true,
      validate(value, _options) {
        const typed = !this.watcherNameType || this.watcherNameType === "str";
        return !typed || String(value ?? "").trim().length >= 4 || this._("create-watcher.error.name");
      },
    },
    watcherNameType: { value: "str" },
    source: { value: "contract", required: true },
    contract: {
      value: "",
      type: "crec-contract",
      required: false,
      validate(value, _options) {
        const chosen = Boolean(value) && value !== "_ADD_";
        return this.source === "service" || chosen || this._("create-watcher.error.contract");
      },
    },
    events: {
      value: "",
      required: true,
      validate(value, _options) {
        return String(value ?? "").trim() !== "" || this._("create-watcher.error.events");
      },
    },
    eventsType: { value: "str" },
    service: { value: "", validate: forService(/\S/, "create-watcher.error.service") },
    serviceType: { value: "str" },
    serviceConfig: { value: "{}" },
    serviceConfigType: { value: "json" },
    chainSelector: { value: "", validate: forService(DIGITS, "create-watcher.error.network") },
    address: { value: "", validate: forService(ADDRESS, "common.error.address") },
    timeout: { value: "300", validate: numberFrom(0, "common.error.seconds") },
  },
  paletteLabel() {
    return this._("create-watcher.palette");
  },
  label() {
    return this.name || this._("create-watcher.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  outputLabels(index) {
    return this._(index === 0 ? "create-watcher.output.ready" : "create-watcher.output.status");
  },
  oneditprepare() {
    const contract = () => String($("#node-input-contract").val() ?? "");
    typedField("watcherName");
    typedField("events", [
      {
        value: "str",
        label: this._("create-watcher.label.event-names"),
        icon: "red/images/typedInput/az.svg",
        autoComplete: lookUp("contract-events", contract),
      },
      ...TEXT_TYPES.slice(1),
    ]);
    typedField("service");
    typedField("serviceConfig", JSON_TYPES);
    $("#node-input-source")
      .on("change", () => {
        const byService = $("#node-input-source").val() === "service";
        toggle(".crec-create-watcher-contract", !byService);
        toggle(".crec-create-watcher-service", byService);
      })
      .trigger("change");
  },
});
