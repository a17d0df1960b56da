import type { EditedNode } from "../lib/editor/api.ts";
import { callProblem } from "../lib/editor/call-problem.ts";
import { forms } from "../lib/editor/register.ts";
import { toggle, typedField } from "../lib/editor/typed-inputs.ts";
import { sayUnproven } from "../lib/editor/unproven.ts";
import { ADDRESS, atPresent, isReference, numberFrom } from "../lib/editor/validate.ts";
import type { CallDef } from "../lib/shared/form-types.ts";
import { MOST_CALLS } from "../lib/shared/most-calls.ts";
import { amountProblem } from "./editor-amount.ts";
import { type CallsForm, callsForm } from "./editor-calls.ts";
import { previewForm } from "./editor-preview.ts";

const CONTRACTS = Array.from({ length: MOST_CALLS }, (_, index) => `contract${index + 1}`);

const referred = () => ({ value: "", type: "crec-contract", required: false });

let form: CallsForm | undefined;

forms.registerType("crec-submit-operation", {
  category: "CRE Connect",
  color: "#6c8fd8",
  icon: "submit-operation.svg",
  inputs: 1,
  outputs: 2,
  defaults: {
    name: { value: "" },
    channel: { value: "", type: "crec-channel", required: true },
    wallet: { value: "", type: "crec-wallet", required: true },
    mode: { value: "send" },
    source: { value: "form", required: true },
    calls: {
      value: [],
      validate(_value, _options) {
        if (atPresent(this, "source") === "message") return true;
        const isOnTop = RED.editor.getEditStack().at(-1)?.id === this.id;
        return problemOf(this, isOnTop && form ? form.read() : storedCalls(this)) ?? true;
      },
    },
    // One for each call, so that Node-RED knows of them: for export, import and the list of users.
    contract1: referred(),
    contract2: referred(),
    contract3: referred(),
    contract4: referred(),
    contract5: referred(),
    contract6: referred(),
    contract7: referred(),
    contract8: referred(),
    contract9: referred(),
    contract10: referred(),
    contract11: referred(),
    contract12: referred(),
    contract13: referred(),
    contract14: referred(),
    contract15: referred(),
    contract16: referred(),
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
    if (index === 1) return this._("submit-operation.output.status");
    const key = this.mode === "draft" ? "submit-operation.output.draft" : "submit-operation.output.reached";
    return this._(key);
  },
  oneditprepare() {
    typedField("transactions", ["msg", "flow", "global", "jsonata", "json"]);
    const calls = callsForm(this, $("#crec-submit-operation-calls"), storedCalls(this));
    form = calls;
    previewForm(this, () => calls.read());
    // Nodes that were stored before there was a choice have none.
    if (!this.mode) $("#node-input-mode").val("send");
    follow("source", (source) => {
      toggle(".crec-submit-operation-form", source !== "message");
      toggle(".crec-submit-operation-message", source === "message");
    });
    follow("mode", (mode) => {
      // A draft leaves as soon as it is made: there is nothing to wait for.
      toggle(".crec-submit-operation-send", mode !== "draft");
      explain(this, "mode", mode);
      explain(this, "deadline", mode);
    });
    follow("waitFor", (rung) => explain(this, "rung", rung));
    sayUnproven(this);
  },
  oneditcancel() {
    form = undefined;
  },
  oneditsave() {
    const calls = form?.read() ?? storedCalls(this);
    form = undefined;
    this.calls = calls;
    for (const [index, name] of CONTRACTS.entries()) {
      const call = calls[index];
      const contract = call?.kind === "contract" ? (call.contract ?? "") : "";
      if (contract !== (this[name] ?? "")) this[name] = contract;
    }
  },
});

/** Each with its contract: an import gives config nodes new ids, and only the fields of the node follow. */
function storedCalls(node: EditedNode): CallDef[] {
  const calls = Array.isArray(node.calls) ? (node.calls as CallDef[]) : [];
  return calls.map((call, index) => {
    const contract = String(node[`contract${index + 1}`] || "");
    return call.kind === "contract" && contract ? { ...call, contract } : call;
  });
}

/** A sentence, for the mark on the node. */
function problemOf(node: EditedNode, calls: readonly CallDef[]): string | undefined {
  if (calls.length === 0) return node._("submit-operation.error.no-calls");
  if (calls.length > MOST_CALLS) return node._("submit-operation.error.too-many-calls");
  for (const [index, call] of calls.entries()) {
    const problem = callProblemOf(node, call);
    if (problem) return node._("submit-operation.error.call", { number: index + 1, problem });
  }
  return undefined;
}

function callProblemOf(node: EditedNode, call: CallDef): string | undefined {
  const amount = amountProblem(call.amount);
  if (amount) return node._(amount);
  if (call.kind !== "raw") return callProblem(node, call);
  return isAddress(call.to) ? undefined : node._("submit-operation.error.raw-address");
}

/** Or not known here. */
function isAddress({ value = "", type = "str" }: { value?: string; type?: string } = {}): boolean {
  return type !== "str" || isReference(value) || ADDRESS.test(value.trim());
}

/** Tells what a select says, now and whenever it changes. */
function follow(name: string, tell: (value: string) => void): void {
  const select = $(`#node-input-${name}`);
  select.on("change", () => tell(String(select.val() ?? ""))).trigger("change");
}

/** What was chosen, in words of its own. */
function explain(node: EditedNode, what: string, chosen: string): void {
  $(`#crec-submit-operation-${what}-explained`).text(
    chosen ? node._(`submit-operation.explained.${what}.${chosen}`) : "",
  );
}
