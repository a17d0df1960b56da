import type { ConditionDef } from "../../shared/stored-values.ts";
import { cutAtWord, splitNames } from "../../shared/text.ts";
import type { EditedNode } from "../api.ts";
import { shortAddress } from "../lookups/addresses.ts";
import { comparisonText, needsValue } from "./comparisons.ts";

type FieldDef = Extract<ConditionDef, { kind: "field" }>;

const MOST_VALUES = 2;
const LONGEST = 40;

/** A condition as a part of a sentence: `value is at least 100 tokens`. `label` is what its field is called. */
export function conditionText(node: EditedNode, condition: ConditionDef, label: string): string {
  if (condition.kind === "expression") {
    const text = cut(String(condition.value ?? ""));
    return node._(condition.not ? "common.condition.not-true" : "common.condition.true", { text });
  }
  const { is, not = false, unit } = condition;
  const comparison = comparisonText(node, { is, not });
  if (!needsValue(is)) return `${label} ${comparison}`;
  const first = valueText(node, condition);
  const both = is === "between" ? node._("common.condition.range", { first, last: upper(condition) }) : first;
  const value = unit === "token" ? node._("common.condition.in-tokens", { amount: both }) : both;
  // The order of the three is part of the translation.
  return node._("common.condition.compared", { field: label, is: comparison, value });
}

function valueText(node: EditedNode, { is, value = "", type = "str" }: FieldDef): string {
  if (type !== "str") return sourceText(value, type);
  const [first = "…", ...others] = is === "oneOf" ? splitNames(value) : [value.trim() || "…"];
  const shown = [first, ...others].slice(0, MOST_VALUES).map((one) => cut(shortAddress(one)));
  const more = others.length + 1 - shown.length;
  const list = shown.join(node._("common.condition.or"));
  return more > 0 ? node._("common.condition.and-more", { list, more }) : list;
}

function upper({ to = "", toType = "str" }: FieldDef): string {
  return toType === "str" ? cut(to.trim() || "…") : sourceText(to, toType);
}

/** Where a value is taken from: `msg.limit`, or the expression itself. */
function sourceText(value: string, type: string): string {
  return cut(type === "jsonata" ? value : type === "env" ? `\${${value}}` : `${type}.${value}`);
}

function cut(text: string): string {
  return cutAtWord(text, LONGEST);
}
