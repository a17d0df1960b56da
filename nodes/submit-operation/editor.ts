import type { EditedNode } from "../lib/editor/api.ts";
import { contractCallForm, contractSelect, labelled, nameVisibleBox } from "../lib/editor/contract-call.ts";
import { TEXT_TYPES, toggle, typedField } from "../lib/editor/fields.ts";
import { CATEGORY, COLOR } from "../lib/editor/look.ts";
import { numberFrom } from "../lib/editor/validate.ts";
import type { CallDef } from "../lib/form-types.ts";

type ListedCall = { stored: CallDef; read?: () => CallDef };

const MOST_CALLS = 16;
const CONTRACTS = Array.from({ length: MOST_CALLS }, (_, index) => `contract${index + 1}`);
const LIST = "#crec-submit-operation-calls";

RED.nodes.registerType("crec-submit-operation", {
  category: CATEGORY,
  color: COLOR,
  icon: "submit-operation.svg",
  inputs: 1,
  outputs: 2,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    wallet: { value: "", type: "crec-wallet", required: true },
    source: { value: "form", required: true },
    calls: {
      value: [],
      validate(_value, _options) {
        const calls = (Array.isArray(this.calls) ? this.calls : []) as CallDef[];
        if (this.source === "message") return true;
        if (calls.length === 0) return this._("submit-operation.error.no-calls");
        if (calls.length > MOST_CALLS) return this._("submit-operation.error.too-many-calls");
        const whole = calls.every(
          (call) => call.kind === "raw" || (call.function && RED.nodes.node(call.contract ?? "")),
        );
        return whole || this._("submit-operation.error.incomplete");
      },
    },
    // One for each call, so that Node-RED knows of them: for export, import and the list of users.
    ...Object.fromEntries(
      CONTRACTS.map((name) => [name, { value: "", type: "crec-contract", required: false }]),
    ),
    transactions: { value: "payload" },
    transactionsType: { value: "msg" },
    waitFor: { value: "confirmed_latest", required: true },
    timeout: { value: "300", validate: numberFrom(1, "common.error.seconds") },
    deadline: { value: "15", validate: numberFrom(0, "submit-operation.error.deadline") },
    follow: { value: true },
  },
  paletteLabel() {
    return this._("submit-operation.palette");
  },
  label() {
    return this.name || this._("submit-operation.palette");
  },
  labelStyle() {
    return this.name ? "node_label_italic" : "";
  },
  outputLabels(index) {
    return this._(index === 0 ? "submit-operation.output.reached" : "submit-operation.output.status");
  },
  oneditprepare() {
    typedField("transactions", ["msg", "flow", "global", "jsonata", "json"]);
    $(LIST).editableList({
      addItem: (container, _index, item) => showCall(this, container, item as Partial<ListedCall>),
      addButton: this._("submit-operation.label.add"),
      sortable: true,
      removable: true,
      height: 420,
    });
    const calls = Array.isArray(this.calls) ? (this.calls as CallDef[]) : [];
    for (const [index, call] of calls.entries()) {
      const contract = String(this[`contract${index + 1}`] || "");
      $(LIST).editableList("addItem", {
        stored: call.kind === "contract" && contract ? { ...call, contract } : call,
      });
    }
    $("#node-input-source")
      .on("change", () => {
        const byMessage = $("#node-input-source").val() === "message";
        toggle(".crec-submit-operation-form", !byMessage);
        toggle(".crec-submit-operation-message", byMessage);
      })
      .trigger("change");
  },
  oneditsave() {
    const items = $(LIST).editableList("items").toArray();
    const calls = items.map((element) => ($(element).data("data") as ListedCall).read?.());
    this.calls = calls;
    for (const [index, name] of CONTRACTS.entries()) {
      const call = calls[index];
      const contract = call?.kind === "contract" ? (call.contract ?? "") : "";
      if (contract !== (this[name] ?? "")) this[name] = contract;
    }
  },
});

/** One call in the list: a function of a contract, or raw bytes. */
function showCall(node: EditedNode, container: JQuery, item: Partial<ListedCall>): void {
  const stored: CallDef = item.stored ?? { kind: "contract" };
  const id = RED.nodes.id();
  const kind = labelled(node, container, `${id}-kind`, "submit-operation.label.kind", $("<select>"));
  for (const value of ["contract", "raw"]) {
    kind.append(
      $("<option>")
        .val(value)
        .text(node._(`submit-operation.kind.${value}`)),
    );
  }
  kind.val(stored.kind);
  const fields = $("<div>").appendTo(container);

  const show = (call: CallDef): void => {
    fields.empty();
    const value = (
      name: string,
      key: string,
      hint: string,
      current: { value?: string; type?: string } = {},
    ) => {
      const input = labelled(node, fields, `${id}-${name}`, key, $('<input type="text">')).attr(
        "placeholder",
        hint,
      );
      input.typedInput({ default: "str", types: [...TEXT_TYPES] });
      if (current.type) input.typedInput("type", current.type);
      input.typedInput("value", current.value ?? "");
      nameVisibleBox(input);
      return () => ({ value: input.typedInput("value"), type: input.typedInput("type") });
    };
    if (call.kind === "raw") {
      const to = value("to", "common.label.address", "0x…", call.to);
      const data = value("data", "submit-operation.label.data", "0x", call.data);
      const amount = value("amount", "submit-operation.label.amount", "0", call.amount);
      item.read = () => ({ kind: "raw", to: to(), data: data(), amount: amount() });
    } else {
      const contract = contractSelect(node, fields, call.contract ?? "");
      const form = contractCallForm(node, $("<div>").appendTo(fields), call, "send", contract);
      const amount = value("amount", "submit-operation.label.amount", "0", call.amount);
      item.read = () => ({ kind: "contract", ...form.read(), amount: amount() });
    }
  };
  kind.on("change", () => show({ kind: kind.val() === "raw" ? "raw" : "contract" }));
  show(stored);
}
