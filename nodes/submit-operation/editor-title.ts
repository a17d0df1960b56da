import type { EditedNode } from "../lib/editor/api.ts";
import type { CallDef, Value } from "../lib/shared/form-types.ts";

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
  const name = call.function?.split("(", 1)[0];
  if (!name) return text("empty");
  const args = (call.args ?? []).map((arg) => inUnit(node, arg)).join(", ");
  const contract = RED.nodes.node(call.contract ?? "");
  const other = call.address?.value ? shortValue(call.address) : "";
  const callee = other || contract?.name || short(String(contract?.address ?? ""));
  const values = { call: `${name}(${args})`, contract: callee };
  return paid ? text("call-paying", { ...values, amount: paid }) : text("call", values);
}

function inUnit(node: EditedNode, value: Value | undefined): string {
  const text = shortValue(value);
  const unit = value?.unit ?? "";
  return unit && text ? `${text} ${node._(`submit-operation.unit.${unit}`)}` : text;
}

function shortValue({ value = "", type = "str" }: Value = {}): string {
  if (type === "msg" || type === "flow" || type === "global") return short(`${type}.${value}`);
  return type === "env" ? short(`\${${value}}`) : short(value.trim());
}

function short(text: string): string {
  if (text.startsWith("0x") && text.length > 14) return `${text.slice(0, 6)}…${text.slice(-4)}`;
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}
