import type { EditedNode } from "../../common/editor/api.ts";
import { callProblem } from "../../common/editor/calls/call-problem.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { hintUnder, inputOf } from "../../common/editor/form-rows.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { explainUnproven } from "../../common/editor/unproven.ts";
import {
  type DependentNumber,
  followChoice,
  OPERATION_TIMEOUT,
} from "../../common/editor/values/dependent-number.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import { longestSigning } from "../../common/shared/signers.ts";
import type { CallDef, Value } from "../../common/shared/stored-values.ts";
import { callsWithContracts } from "../../common/shared/stored-values.ts";
import { durationWords } from "../../common/shared/times.ts";
import { isReference } from "../../common/shared/variables.ts";
import { CONTRACT_FIELDS, MAX_CALLS, NODE } from "../fields.ts";
import { amountProblem } from "./amount.ts";
import { type CallsForm, callsForm } from "./calls.ts";
import { previewForm } from "./preview.ts";
import { labelOf } from "./title.ts";

/** In minutes. The deadline is signed, so it cannot be extended once a draft is approved late. */
const DRAFT_DEADLINE: DependentNumber = {
  name: "deadline",
  choice: "mode",
  usual: 15,
  unusual: { draft: { value: 1440, why: "submit-operation.hint.draft-deadline" } },
};

/** Of the form that is open. */
let callsInForm: CallsForm | undefined;

export const form: NodeForm = {
  label: (node) => (node.source === "message" ? "" : labelOf(node, callsWithContracts(node))),
  checks: {
    calls: (node) => {
      const isOnTop = RED.editor.getEditStack().at(-1)?.id === node.id;
      return problemOf(node, isOnTop && callsInForm ? callsInForm.read() : callsWithContracts(node));
    },
  },
  opened(node) {
    const list = $("<ol>").appendTo(partOf(NODE, "calls").css("margin-bottom", "12px"));
    const calls = callsForm(node, list, callsWithContracts(node));
    callsInForm = calls;
    previewForm(node, () => calls.read());
    explainUnproven(node);
    followChoice(node, OPERATION_TIMEOUT);
    followChoice(node, DRAFT_DEADLINE);
    explainSignerTime(node);
  },
  cancelled() {
    callsInForm = undefined;
  },
  saved(node) {
    const calls = callsInForm?.read() ?? callsWithContracts(node);
    callsInForm = undefined;
    node.calls = calls;
    for (const [index, name] of CONTRACT_FIELDS.entries()) {
      const call = calls[index];
      const contract = call?.kind === "contract" ? (call.contract ?? "") : "";
      if (contract !== (node[name] ?? "")) node[name] = contract;
    }
  },
};

/** A sentence, for the mark on the node. */
function problemOf(node: EditedNode, calls: readonly CallDef[]): string | undefined {
  if (calls.length === 0) return node._("submit-operation.error.no-calls");
  if (calls.length > MAX_CALLS) return node._("submit-operation.error.too-many-calls");
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
  return mayBeAddress(call.to) ? undefined : node._("submit-operation.error.raw-address");
}

/** What a message or the environment provides is checked at run time. */
function mayBeAddress({ value = "", type = "str" }: Value = {}): boolean {
  return type !== "str" || isReference(value) || ADDRESS.test(value.trim());
}

/** Says under the deadline that the wallet's signer may take longer. A draft is signed elsewhere. */
function explainSignerTime(node: EditedNode): void {
  const [wallet, mode, deadline] = [inputOf("wallet"), inputOf("mode"), inputOf("deadline")];
  const hint = hintUnder(deadline);
  const explain = (): void => {
    const chosen = RED.nodes.node(String(wallet.val() ?? ""));
    const signer = chosen && RED.nodes.node(String(chosen.signer ?? ""));
    const seconds = signer ? longestSigning({ kind: signer.kind, timeout: signer.timeout }) : 0;
    // Zero means no deadline. The field itself marks a text that is not a number.
    const limit = Number(deadline.val()) * 60;
    const isLonger = mode.val() !== "draft" && limit > 0 && seconds > limit;
    const words = (count: number) => durationWords((key, values) => node._(key, values), count);
    const values = { signer: words(seconds), deadline: words(limit) };
    hint.say(isLonger ? node._("submit-operation.hint.signer-longer", values) : "");
  };
  wallet.add(mode).add(deadline).on("change input", explain);
  explain();
}
