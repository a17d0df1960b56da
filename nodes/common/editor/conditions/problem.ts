import { COMPARISONS, FIELD_PATH } from "../../../../src/protocol/index.ts";
import { ADDRESS } from "../../shared/field-checks.ts";
import type { ConditionDef } from "../../shared/stored-values.ts";
import { splitNames } from "../../shared/text.ts";
import { isReference } from "../../shared/variables.ts";
import type { EditedNode } from "../api.ts";
import { isNumeric, needsValue } from "./comparisons.ts";

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$|^0x[0-9a-f]{1,64}$/i;
/** Fields of every event that hold an address. */
const ADDRESSES: readonly string[] = ["contract", "wallet", "target"];

/**
 * What is certainly wrong with stored conditions, in one sentence: for the mark on the node, which cannot wait for the
 * runtime. In the form, values are also checked by the library.
 */
export function conditionsProblem(node: EditedNode, stored: unknown): string | undefined {
  for (const [index, condition] of conditionsIn(stored).entries()) {
    const problem = conditionProblem(node, condition);
    if (problem) return node._("common.condition.problem", { number: index + 1, problem });
  }
  return undefined;
}

/** The rows of a setting that may be written by hand. */
export function conditionsIn(stored: unknown): ConditionDef[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((one): one is ConditionDef => typeof one === "object" && one !== null);
}

export function conditionProblem(node: EditedNode, condition: ConditionDef): string | undefined {
  if (condition.kind === "expression") {
    return String(condition.value ?? "").trim() === ""
      ? node._("common.condition.error.expression")
      : undefined;
  }
  const { is, to, toType } = condition;
  const field = String(condition.field ?? "");
  if (field !== "" && !FIELD_PATH.test(field)) return node._("common.condition.error.field");
  if (!COMPARISONS.includes(is)) return node._("common.condition.error.comparison");
  if (!needsValue(is)) return undefined;
  const problem = valueProblem(node, condition, String(condition.value ?? ""), condition.type);
  if (problem || is !== "between") return problem;
  return valueProblem(node, condition, String(to ?? ""), toType);
}

/** What is wrong with one of the values. What a message or the environment provides is checked at run time. */
export function valueProblem(
  node: EditedNode,
  { is, field, unit }: Pick<Extract<ConditionDef, { kind: "field" }>, "is" | "field" | "unit">,
  value: string,
  type = "str",
): string | undefined {
  const text = value.trim();
  if (text === "") return node._("common.condition.error.value");
  if (type !== "str") return undefined;
  const values = (is === "oneOf" ? splitNames(text) : [text]).filter((one) => !isReference(one));
  const isAddress = ADDRESSES.includes(field) && ["equals", "oneOf"].includes(is);
  if (isAddress && !values.every((one) => ADDRESS.test(one))) return node._("common.error.address");
  if (unit === "token" && !values.every((one) => NUMBER.test(one)))
    return node._("common.condition.error.amount");
  return isNumeric(is) && !values.every((one) => NUMBER.test(one))
    ? node._("common.condition.error.number")
    : undefined;
}
