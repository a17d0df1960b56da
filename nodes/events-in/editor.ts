import type { CompletionSearch, EditedNode } from "../lib/editor/api.ts";
import { completeLast } from "../lib/editor/comma-list.ts";
import { hintUnder } from "../lib/editor/form-rows.ts";
import { TYPED } from "../lib/editor/live-check.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { ADDRESS, atPresent, filled, isReference, numberFrom } from "../lib/editor/validate.ts";
import { splitNames } from "../lib/shared/split-names.ts";
import { isTime } from "../lib/shared/times.ts";

import { type Panel, showPanel } from "./editor-panel.ts";

const PORTS = ["events", "rejected", "notices"];
let panel: Panel | undefined;
const TYPES = ["watcher.event", "operation.status", "query.status", "watcher.status", "wallet.status"];
const SECONDS_AN_HOUR = 3600;
/** What submit operation waits by default. */
const LONG_WAIT_SECONDS = 300;

forms.registerType("crec-events-in", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "events-in.svg",
  inputs: 0,
  outputs: 3,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    consumer: { value: "", validate: filled("events-in.error.consumer") },
    start: { value: "now", required: true },
    startValue: {
      value: "",
      validate(value, _options) {
        const [text, start] = [String(value ?? "").trim(), atPresent(this, "start")];
        if (start === "offset")
          return isReference(text) || /^\d+$/.test(text) || this._("events-in.error.offset");
        if (start === "time") return isReference(text) || isTime(text) || this._("events-in.error.time");
        return true;
      },
    },
    types: { value: [] },
    watcher: { value: "" },
    watcherType: { value: "str" },
    contractEvent: { value: "" },
    contractEventType: { value: "str" },
    address: {
      value: "",
      validate(value, _options) {
        const typed = !this.addressType || this.addressType === "str";
        const addresses = typed ? splitNames(String(value ?? "")) : [];
        const isRight = addresses.every((one) => isReference(one) || ADDRESS.test(one));
        return isRight || this._("common.error.address");
      },
    },
    addressType: { value: "str" },
    confidence: { value: "" },
    verify: { value: true },
    unverified: { value: "port", required: true },
    commit: { value: "on-send", required: true },
    unfinished: { value: "100", validate: numberFrom(1, "events-in.error.attempts") },
    inFlight: { value: "1", validate: numberFrom(1, "events-in.error.attempts") },
    ackTimeout: { value: "60", validate: numberFrom(1, "common.error.seconds") },
    attempts: { value: "", validate: numberFrom(1, "events-in.error.attempts") },
    lateWithin: { value: "", validate: numberFrom(0, "common.error.seconds") },
    crashes: { value: "", validate: numberFrom(0, "events-in.error.crashes") },
    ackRejected: { value: false },
    skipOlder: { value: "", validate: numberFrom(1, "common.error.seconds") },
    store: { value: "" },
    inputs: { value: 0 },
    pollMin: { value: "1", validate: numberFrom(0.1, "common.error.seconds") },
    pollMax: { value: "15", validate: numberFrom(0.1, "common.error.seconds") },
  },
  paletteLabel() {
    return this._("events-in.palette");
  },
  label() {
    return this.name || this._("events-in.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  outputLabels(index) {
    return this._(`events-in.output.${PORTS[index]}`);
  },
  // A new node gets a name, and so does a copy: two of one name would share a cursor. One that was moved, or
  // brought from elsewhere, keeps its name and with it its place.
  onadd() {
    let taken = false;
    RED.nodes.eachNode(({ id, type, consumer }) => {
      if (type === "crec-events-in" && id !== this.id && consumer === this.consumer) taken = true;
    });
    if (!this.consumer || taken) this.consumer = `events-${RED.nodes.id()}`;
  },
  oneditprepare() {
    const channel = () => String($("#node-input-channel").val() ?? "");
    listField("watcher", this._("events-in.label.watcher"), completeLast(lookUp("watcher-ids", channel)));
    describeUnder(this, $("#node-input-watcher"), "watcher-ids", channel);
    listField("contractEvent", this._("events-in.label.contract-event"));
    listField("address", this._("common.label.address"));
    const chosen = new Set(Array.isArray(this.types) ? (this.types as string[]) : []);
    for (const type of TYPES)
      $(`#crec-events-in-${type.replace(".", "-")}`).prop("checked", chosen.has(type));

    $("#node-input-start")
      .on("change", () => {
        const start = $("#node-input-start").val();
        toggle(".crec-events-in-start-value", start === "offset" || start === "time");
      })
      .trigger("change");
    // A node drawn before there was the choice has none stored, and does the first.
    if (!this.unverified) $("#node-input-unverified").val("port");
    if (!this.commit) $("#node-input-commit").val("on-send");
    $("#node-input-verify")
      .on("change", () => toggle(".crec-events-in-verify", $("#node-input-verify").is(":checked")))
      .trigger("change");
    $("#node-input-commit")
      .on("change", () => {
        const isOnSend = $("#node-input-commit").val() === "on-send";
        toggle(".crec-events-in-send", isOnSend);
        toggle(".crec-events-in-ack", !isOnSend);
      })
      .trigger("change");
    warnOfSoonAgain(this);
    showStores(this);
    $("#crec-events-in-commands").prop("checked", this.inputs === 1);
    // What was set must be seen.
    $("#crec-events-in-advanced").prop("open", Boolean(this.lateWithin || this.crashes));
    panel = showPanel(this);
    const before = channel();
    $("#node-input-channel").on("change", () => {
      const moved = before !== "" && before !== "_ADD_" && channel() !== before;
      $("#crec-events-in-panel-result").text(moved ? this._("events-in.panel.moved") : "");
    });
    $("#node-input-pollMax")
      .on("change keyup", () => {
        const calls = Math.round(
          SECONDS_AN_HOUR / Math.max(Number($("#node-input-pollMax").val()) || 15, 0.1),
        );
        $("#crec-events-in-calls").text(this._("events-in.calls", { calls }));
      })
      .trigger("change");
  },
  oneditcancel() {
    panel?.close();
  },
  oneditsave() {
    panel?.close();
    $("#node-input-inputs").val($("#crec-events-in-commands").is(":checked") ? 1 : 0);
    this.types = TYPES.filter((type) => $(`#crec-events-in-${type.replace(".", "-")}`).prop("checked"));
  },
});

/** A field for several: typed in with commas between, as a list, or from the environment. */
function listField(name: string, label: string, search?: CompletionSearch): void {
  const icon = "red/images/typedInput/az.svg";
  typedField(name, [{ value: "str", label, icon, ...(search && { autoComplete: search }) }, "json", "env"]);
}

/** What an event is sent again for must not still be at work on it. */
function warnOfSoonAgain(node: EditedNode): void {
  const field = $("#node-input-ackTimeout");
  const hint = hintUnder(field);
  const warn = (): void => {
    const text = String(field.val() ?? "").trim();
    const isLong = isReference(text) || (text !== "" && Number(text) >= LONG_WAIT_SECONDS);
    hint.say(isLong ? "" : node._("events-in.hint.ack-timeout", { seconds: LONG_WAIT_SECONDS }));
  };
  field.on(TYPED, warn);
  warn();
}

/** The context stores of this Node-RED; a stored name that is not among them stays. */
function showStores(node: EditedNode): void {
  const stored = String(node.store ?? "");
  const names = new Set([...(RED.settings.context?.stores ?? []), ...(stored ? [stored] : [])]);
  const select = $("#node-input-store");
  select.append($("<option>").val("").text(node._("events-in.store.file")));
  for (const name of names)
    select.append($("<option>").val(name).text(node._("events-in.store.context", { name })));
  select.val(stored);
}
