import { completeLast } from "../lib/editor/comma-list.ts";
import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { hintUnder } from "../lib/editor/form-rows.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { searchedField, toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { atPresent, matching, numberFrom } from "../lib/editor/validate.ts";

const PORTS = ["verified", "rejected", "notices"];
const ONE_TO_HUNDRED_THOUSAND = /^([1-9]\d{0,4}|100000)$/;

forms.registerType("crec-verify-event", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "verify-event.svg",
  inputs: 1,
  outputs: 3,
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    contract: { value: "", type: "crec-contract", required: false },
    channel: { value: "", type: "crec-channel", required: false },
    event: { value: "crec.event" },
    eventType: { value: "msg" },
    expectContract: {
      value: false,
      validate(_value, _options) {
        const chosen = Boolean(this.contract) && this.contract !== "_ADD_";
        return !this.expectContract || chosen || this._("verify-event.error.contract");
      },
    },
    expectEvents: { value: "" },
    expectEventsType: { value: "str" },
    minConfidence: { value: "" },
    signedBy: { value: "" },
    expectFamily: {
      value: "",
      validate(value, _options) {
        const isAsked = atPresent(this, "signedBy") === "family";
        return !isAsked || String(value ?? "").trim() !== "" || this._("verify-event.error.family");
      },
    },
    maxAge: { value: "", validate: numberFrom(1, "verify-event.error.max-age") },
    firstTimeOnly: { value: false },
    remember: { value: "10000", validate: matching(ONE_TO_HUNDRED_THOUSAND, "verify-event.error.remember") },
  },
  paletteLabel() {
    return this._("verify-event.palette");
  },
  label() {
    return this.name || this._("verify-event.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  outputLabels(index) {
    return this._(`verify-event.output.${PORTS[index]}`);
  },
  oneditprepare() {
    typedField("event", ["msg", "flow", "global", "jsonata"]);
    const contract = () => String($("#node-input-contract").val() ?? "");
    const events = completeLast(lookUp("contract-events", contract));
    const expected = searchedField("expectEvents", this._("verify-event.label.events"), events);
    const described = describeUnder(this, expected, "contract-events", contract);
    $("#node-input-contract").on("change", () => described.now());
    describeContractNetwork(() => String($("#node-input-connection").val() ?? ""), "#node-input-connection");
    for (const name of ["channel", "expectEvents", "minConfidence", "signedBy", "maxAge", "firstTimeOnly"]) {
      hintUnder($(`#node-input-${name}`)).say(this._(`verify-event.hint.${name}`));
    }
    const showFamily = (): void => {
      const signedBy = String($("#node-input-signedBy").val() ?? "");
      toggle(".crec-verify-event-signed-by", signedBy !== "" || hasFamilies());
      toggle(".crec-verify-event-family", signedBy === "family");
    };
    // A node drawn before there was the choice has none stored.
    if (!this.signedBy) $("#node-input-signedBy").val("");
    $("#node-input-connection, #node-input-signedBy").on("change", showFamily);
    showFamily();
    if (!this.remember) $("#node-input-remember").val("10000");
    $("#node-input-firstTimeOnly")
      .on("change", () =>
        toggle(".crec-verify-event-remember", $("#node-input-firstTimeOnly").is(":checked")),
      )
      .trigger("change");
  },
});

/** Only then there is something to choose. */
function hasFamilies(): boolean {
  const connection = RED.nodes.node(String($("#node-input-connection").val() ?? ""));
  return Array.isArray(connection?.families) && connection.families.length > 0;
}
