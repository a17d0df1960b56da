import { typedField } from "../lib/editor/fields.ts";
import { CATEGORY, COLOR } from "../lib/editor/look.ts";

const PORTS = ["verified", "rejected", "unsigned"];

RED.nodes.registerType("crec-verify-event", {
  category: CATEGORY,
  color: COLOR,
  icon: "verify-event.svg",
  inputs: 1,
  outputs: 3,
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    contract: { value: "", type: "crec-contract", required: false },
    event: { value: "crec.event" },
    eventType: { value: "msg" },
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
  },
});
