import type { Abi } from "../../abi/index.ts";
import { reading } from "../../options/index.ts";
import type { Condition, ConditionSet } from "../types.ts";
import { compileConditions, type MatchExplanation } from "./compile.ts";

/**
 * Whether conditions hold for a decoded event. A condition that cannot be decided counts as false: `explainMatch`
 * distinguishes the two. For many events, compile the conditions once: `compileConditions`.
 *
 * - A field is a path such as `params.value`, `params.order.amount`, `params.list[0]` or `confidence`. Empty: the value
 *   itself.
 * - Numbers are compared as exact decimals of any size, whether they are numbers, bigints or text. A whole number beyond
 *   2^53 that is not text may already be rounded: the condition cannot be decided.
 * - `unit: "token"`: the value is in tokens. With `decimals` it is converted exactly, without them it is compared with
 *   the same field in the event's `tokens`. If the event has none, the condition cannot be decided.
 * - With an ABI the type of the parameter decides how `equals`, `oneOf` and `contains` compare: addresses and bytes
 *   without case, integers as numbers, text exactly. Without an ABI two hex texts are bytes, two numbers are numbers,
 *   and everything else is text. A row that no value of the type can meet, such as one byte for a `bytes32` or 300 for a
 *   `uint8`, cannot be decided.
 * - A list `contains` a value that equals one of its elements. Text contains, starts and ends with exact text, hex
 *   without case.
 * - `isTrue` and `isFalse` take booleans, and `true` and `false` as text.
 * - No comparison holds for a field that is missing or null, nor does its `not`. Only `exists` and its `not` are about
 *   that.
 * - `all`: false if one condition is false, else undecided if one is. `any`: true if one condition is true, else
 *   undecided if one is. Without conditions every event matches.
 *
 * @param conditions a list stands for all of them
 * @param decoded of any origin; it throws for no event
 * @param abi of the contract
 * @throws {ArgumentError} `INVALID_ARGUMENT` for a condition that is wrong itself.
 * @example
 * const transfer = { name: "Transfer", params: { value: "1500000" }, tokens: { value: "1.5" } };
 * matchEvent([{ field: "params.value", is: "atLeast", value: "1.5", unit: "token" }], transfer); // → true
 */
export function matchEvent(
  conditions: ConditionSet | readonly Condition[],
  decoded: unknown,
  abi?: Abi,
): boolean {
  const check = compileConditions(conditions, abi);
  return reading("decoded", () => check(decoded) === true);
}

/**
 * The same with the result of each condition, and with a reason for each that cannot be decided.
 *
 * @throws {ArgumentError} as `matchEvent`.
 * @example
 * const isLarge = [{ field: "params.value", is: "above", value: "1", unit: "token" }] as const;
 * explainMatch(isLarge, { name: "Transfer", params: { value: "1500000" } }).result; // → undefined
 */
export function explainMatch(
  conditions: ConditionSet | readonly Condition[],
  decoded: unknown,
  abi?: Abi,
): MatchExplanation {
  const check = compileConditions(conditions, abi);
  return reading("decoded", () => check.explain(decoded));
}
