import { forms } from "../lib/editor/register.ts";
import { toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { sayUnproven } from "../lib/editor/unproven.ts";
import { atPresent, numberFrom } from "../lib/editor/validate.ts";

const STATUSES = [
  ...["pending_signature", "accepted", "sending", "sent", "broadcasting"],
  ...["confirmed_latest", "confirmed_safe", "confirmed", "failed", "cancelled", "expired"],
];

forms.registerType("crec-operation", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "operation.svg",
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    action: { value: "get", required: true },
    operation: {
      value: "crec.operationId",
      validate(value, _options) {
        const filled = atPresent(this, "action") === "list" || String(value ?? "").trim() !== "";
        return filled || this._("operation.error.operation");
      },
    },
    operationType: { value: "msg" },
    signer: {
      value: "",
      type: "crec-signer",
      required: false,
      validate(value, _options) {
        const chosen = atPresent(this, "action") !== "finalize" || (Boolean(value) && value !== "_ADD_");
        return chosen || this._("operation.error.signer");
      },
    },
    digest: { value: "crec.digest" },
    digestType: { value: "msg" },
    statuses: { value: [] },
    limit: { value: "100", validate: numberFrom(1, "operation.error.limit") },
    waitFor: { value: "" },
    timeout: { value: "300", validate: numberFrom(1, "common.error.seconds") },
  },
  paletteLabel() {
    return this._("operation.palette");
  },
  label() {
    return this.name || this._(`operation.action.${String(this.action)}`);
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  oneditprepare() {
    typedField("operation");
    typedField("digest");
    sayUnproven(this);
    const chosen = new Set(Array.isArray(this.statuses) ? (this.statuses as string[]) : []);
    for (const status of STATUSES) box(status).prop("checked", chosen.has(status));
    $("#node-input-action")
      .on("change", () => {
        const action = String($("#node-input-action").val() ?? "");
        toggle(".crec-operation-operation", action !== "list");
        toggle(".crec-operation-list", action === "list");
        toggle(".crec-operation-finalize", action === "finalize");
        toggle(".crec-operation-waits", action === "finalize" || action === "wait");
        $("#crec-operation-action-explained").text(this._(`operation.explained.action.${action}`));
      })
      .trigger("change");
  },
  oneditsave() {
    this.statuses = STATUSES.filter((status) => box(status).prop("checked"));
  },
});

function box(status: string): JQuery {
  return $(`#crec-operation-${status}`);
}
