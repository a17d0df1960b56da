import { forms } from "../lib/editor/register.ts";
import { toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { numberFrom } from "../lib/editor/validate.ts";

forms.registerType("crec-ack", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "ack.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    action: { value: "ack", required: true },
    delay: { value: "10", validate: numberFrom(0, "common.error.seconds") },
    reason: { value: "" },
    reasonType: { value: "str" },
  },
  paletteLabel() {
    return this._("ack.palette");
  },
  label() {
    return this.name || this._(`ack.label-of.${String(this.action)}`);
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    typedField("reason");
    $("#node-input-action")
      .on("change", () => {
        const action = $("#node-input-action").val();
        toggle(".crec-ack-delay", action === "retry");
        toggle(".crec-ack-reason", action === "reject");
      })
      .trigger("change");
  },
});
