import type { EditedNode, Validator } from "../lib/editor/api.ts";
import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { visibleBox } from "../lib/editor/form-rows.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { JSON_TYPES, searchedField, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { ADDRESS, atPresent, both, DIGITS, filled, matching, numberFrom } from "../lib/editor/validate.ts";
import { eventsField } from "./editor-events.ts";

function isTypedIn(node: EditedNode, name: string): boolean {
  return (atPresent(node, `${name}Type`) || "str") === "str";
}

/** What a watcher by service must have; one by contract has it from there. */
function forService(name: string, test: RegExp, message: string): Validator {
  return function (value, options) {
    if (atPresent(this, "source") !== "service") return true;
    const typed = isTypedIn(this, name);
    return (typed ? both(filled(message), matching(test, message)) : filled(message)).call(
      this,
      value,
      options,
    );
  };
}

forms.registerType("crec-create-watcher", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "create-watcher.svg",
  inputs: 1,
  outputs: 2,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    watcherName: {
      value: "",
      validate(value, _options) {
        const text = String(value ?? "").trim();
        const typed = isTypedIn(this, "watcherName") && !text.startsWith("${");
        return !typed || text.length >= 4 || this._("create-watcher.error.name");
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
        return atPresent(this, "source") === "service" || chosen || this._("create-watcher.error.contract");
      },
    },
    events: {
      value: "",
      validate(value, _options) {
        return String(value ?? "").trim() !== "" || this._("create-watcher.error.events");
      },
    },
    eventsType: { value: "str" },
    service: { value: "", validate: forService("service", /\S/, "create-watcher.error.service") },
    serviceType: { value: "str" },
    serviceConfig: { value: "{}" },
    serviceConfigType: { value: "json" },
    chainSelector: {
      value: "",
      validate: forService("chainSelector", DIGITS, "create-watcher.error.network"),
    },
    chainSelectorType: { value: "str" },
    address: {
      value: "",
      validate(value, options) {
        if (atPresent(this, "source") === "service") {
          return forService("address", ADDRESS, "common.error.address").call(this, value, options);
        }
        if (!isTypedIn(this, "address")) return true;
        return matching(ADDRESS, "common.error.address").call(this, value, options);
      },
    },
    addressType: { value: "str" },
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
    const channel = () => String($("#node-input-channel").val() ?? "");
    const name = searchedField("watcherName", this._("common.label.typed"), lookUp("watchers", channel));
    const described = describeUnder(this, name, "watchers", channel, "create-watcher.hint.new");
    $("#node-input-channel").on("change", () => described.now());
    typedField("service");
    const settings = typedField("serviceConfig", JSON_TYPES);
    // An import may leave it out, and nothing is no JSON.
    if (settings.typedInput("type") === "json" && settings.typedInput("value") === "") {
      settings.typedInput("value", "{}");
    }
    showNetwork(this);
    describeContractNetwork(connectionOfChannel, "#node-input-channel");
    const isByService = () => $("#node-input-source").val() === "service";
    const events = eventsField(this, $("#node-input-contract"), isByService);
    const address = typedField("address");
    $("#node-input-source")
      .on("change", () => {
        toggle(".crec-create-watcher-contract", !isByService());
        toggle(".crec-create-watcher-service", isByService());
        visibleBox(address).attr("placeholder", isByService() ? "0x…" : this._("common.own-address"));
        events.update();
      })
      .trigger("change");
  },
});

function connectionOfChannel(): string {
  const channel = RED.nodes.node(String($("#node-input-channel").val() ?? ""));
  return String(channel?.connection ?? "");
}

function showNetwork(node: EditedNode): void {
  const connection = connectionOfChannel;
  const field = searchedField("chainSelector", node._("common.label.typed"), lookUp("networks", connection));
  const described = describeUnder(
    node,
    field,
    "networks",
    connection,
    "create-watcher.error.network-unknown",
  );
  $("#node-input-channel").on("change", () => described.now());
}
