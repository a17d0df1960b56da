import type { EditedNode } from "../../common/editor/api.ts";
import { shortAddress } from "../../common/editor/lookups/addresses.ts";
import { configName, withCount } from "../../common/editor/node-label.ts";
import { isNow } from "../../common/editor/values/type-hints.ts";
import type { CallDef, ContractCall, Value } from "../../common/shared/stored-values.ts";
import { bareName } from "../../common/shared/text.ts";

/** Characters of one value, so that several fit into the line. */
const LONGEST_VALUE = 24;

/** What a call does, in one line: `transfer(0x0000…dEaD, 1.5 tokens) on demo token`. */
export function titleOf(node: EditedNode, call: CallDef): string {
  const text = (key: string, values: Record<string, string> = {}) =>
    node._(`submit-operation.title.${key}`, values);
  const amount = call.amount?.value?.trim();
  const paid = amount && amount !== "0" ? inUnit(node, call.amount) : "";
  if (call.kind === "raw") {
    const to = shortValue(call.to);
    if (!to) return text("empty");
    const isPayment = paid && !call.data?.value;
    if (isPayment) return text("payment", { amount: paid, to });
    return paid ? text("raw-paying", { to, amount: paid }) : text("raw", { to });
  }
  const name = bareName(call.function ?? "");
  if (!name) return text("empty");
  const args = (call.args ?? []).map((arg) => inUnit(node, arg) || "…").join(", ");
  const values = { call: `${name}(${args})`, contract: calleeOf(call) };
  return paid ? text("call-paying", { ...values, amount: paid }) : text("call", values);
}

/** What the calls do, for the label of the node: `transfer on demo token`, without the values. */
export function labelOf(node: EditedNode, calls: readonly CallDef[]): string {
  const [first] = calls;
  const name = first && callLabel(node, first);
  if (!name) return "";
  const all = withCount([name, ...calls.slice(1).map(() => "")]);
  return node.mode === "draft" ? node._("submit-operation.label-of.draft", { calls: all }) : all;
}

function callLabel(node: EditedNode, call: CallDef): string {
  if (call.kind === "raw") return shortValue(call.to) ? titleOf(node, call) : "";
  const [name, contract] = [bareName(call.function ?? ""), calleeOf(call)];
  return name && contract ? node._("common.label-of.call", { function: name, contract }) : "";
}

/** The contract's name, or the other address that the call goes to. */
function calleeOf({ contract, address }: ContractCall): string {
  return (address?.value && shortValue(address)) || configName(contract);
}

function inUnit(node: EditedNode, value: Value | undefined): string {
  const text = value && isNow(value) ? node._("common.now") : shortValue(value);
  const unit = value?.unit ?? "";
  if (unit === "token" && text === "1") return node._("submit-operation.title.one-token");
  return unit && text ? `${text} ${node._(`submit-operation.unit.${unit}`)}` : text;
}

function shortValue({ value = "", type = "str" }: Value = {}): string {
  if (type === "msg" || type === "flow" || type === "global") return short(`${type}.${value}`);
  return type === "env" ? short(`\${${value}}`) : short(value.trim());
}

function short(text: string): string {
  const shown = shortAddress(text);
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE - 1)}…` : shown;
}
