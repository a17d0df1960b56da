import type { EditedNode } from "../common/editor/api.ts";
import { callProblem } from "../common/editor/calls/call-problem.ts";
import { type ContractCallForm, contractCallForm } from "../common/editor/calls/contract-call.ts";
import { problemUnder } from "../common/editor/form-rows.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { configName } from "../common/editor/node-label.ts";
import type { ContractCall } from "../common/shared/stored-values.ts";
import { bareName } from "../common/shared/text.ts";

/** The functions of token standards that answer with an amount. */
const AMOUNTS: ReadonlySet<string> = new Set([
  "balanceOf(address)",
  "totalSupply()",
  "allowance(address,address)",
]);

let callForm: ContractCallForm | undefined;

export const form: NodeForm = {
  label: (node) => {
    const call = callOf(node);
    const [name, contract] = [bareName(call.function ?? ""), configName(call.contract)];
    const isCall = node.kind !== "raw" && name !== "" && contract !== "";
    return isCall ? node._("common.label-of.call", { function: name, contract }) : "";
  },
  checks: { call: (node) => callProblem(node, callOf(node)) },
  opened(node) {
    const call = callOf(node);
    const select = $("#node-input-contract");
    if (call.contract) select.val(call.contract);
    callForm = contractCallForm(node, $("#crec-run-query-call"), call, "ask", { select });
    warnOfMissingDecimals(node, select, callForm);
    countInTokens(select, callForm);
  },
  saved(node) {
    const { contract: _own, ...call } = callForm?.read() ?? {};
    node.call = call;
  },
};

/** With the contract of its own field: an import changes only the ids in such fields. */
function callOf(node: EditedNode): ContractCall {
  const call = (node.call ?? {}) as ContractCall;
  return { ...call, contract: String(node.contract || call.contract || "") };
}

/** Chooses tokens with a function whose result is an amount, and takes that back with another function. */
function countInTokens(contract: JQuery, form: ContractCallForm): void {
  const unit = $("#node-input-resultUnit");
  let [before, isChosenHere] = [form.read().function, false];
  unit.on("change", ({ originalEvent }) => {
    if (originalEvent) isChosenHere = false;
  });
  form.onChange(() => {
    const chosen = form.read().function;
    if (chosen === before) return;
    before = chosen;
    const decimals = RED.nodes.node(String(contract.val() ?? ""))?.decimals;
    const isAmount = AMOUNTS.has(String(chosen)) && String(decimals ?? "").trim() !== "";
    if (isAmount === isChosenHere || (isAmount && unit.val() === "token")) return;
    isChosenHere = isAmount;
    unit.val(isAmount ? "token" : "").trigger("change");
  });
}

/** Without decimals, a result cannot be shown in tokens, save where the chain is asked for them. */
function warnOfMissingDecimals(node: EditedNode, contract: JQuery, form: ContractCallForm): void {
  const unit = $("#node-input-resultUnit");
  const problem = problemUnder(unit);
  const check = (): void => {
    const chosen = RED.nodes.node(String(contract.val() ?? ""));
    const call = form.read();
    const isAsked = AMOUNTS.has(String(call.function)) || (call.address?.value ?? "") !== "";
    const isOwn = unit.val() === "token" && chosen && !isAsked;
    const isMissing = isOwn && String(chosen.decimals ?? "").trim() === "";
    problem.say(isMissing ? node._("run-query.hint.noDecimals") : "");
  };
  unit.add(contract).on("change", check);
  form.onChange(check);
  check();
}
