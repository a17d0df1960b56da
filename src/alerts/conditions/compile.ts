import type { Abi } from "../../abi/index.ts";
import { aList, optional, reading } from "../../options/index.ts";
import { combineResults } from "../../protocol/index.ts";
import type { Condition, ConditionSet } from "../types.ts";
import { checkCondition, checkSet, comparator } from "./compare.ts";
import { type FieldKind, type FieldPath, kindReader, parseFieldPath, readField } from "./field-kind.ts";
import type { Finding } from "./value-set.ts";

/** What became of one condition. */
export type ConditionResult = {
  condition: Condition;
  /** Undefined where it cannot be decided. */
  result: boolean | undefined;
  /** Why it cannot be decided: a sentence. */
  reason?: string;
};

/** What became of a set of conditions. */
export type MatchExplanation = {
  /** Undefined where it cannot be decided. */
  result: boolean | undefined;
  /** In the order of the conditions. */
  rows: ConditionResult[];
};

/** A set of conditions, ready for any number of events. It throws nothing, whatever the event holds. */
export type CompiledConditions = {
  /** Whether the conditions hold; undefined where that cannot be decided. */
  (decoded: unknown): boolean | undefined;
  /** Whether it is known that they do not hold. A field that is missing or null shows nothing: it ends no alert. */
  ends(decoded: unknown): boolean;
  /** The same, with the result of each condition. */
  explain(decoded: unknown): MatchExplanation;
};

/**
 * Checks conditions and prepares them, so that a rule does this once and not for each event. What the conditions mean:
 * see `matchEvent`.
 *
 * @param conditions a list stands for all of them
 * @param abi of the contract: its types decide how parameters are compared
 * @throws {ArgumentError} `INVALID_ARGUMENT` for a condition that is wrong itself, with its path: an unknown comparison, a
 * value that is not a number where one is needed, bounds in the wrong order, an empty list.
 * @example
 * const check = compileConditions([{ field: "params.value", is: "above", value: "1000" }]);
 * check({ name: "Transfer", params: { value: "1001" } }); // → true
 */
export function compileConditions(
  conditions: ConditionSet | readonly Condition[],
  abi?: Abi,
): CompiledConditions {
  optional(aList())(abi, "abi");
  return reading("conditions", () => compiled(checkSet(conditions), abi));
}

function compiled(set: ConditionSet, abi: Abi | undefined): CompiledConditions {
  const rows = set.conditions.map((condition, index) => ({
    condition,
    find: compileRow(condition, `conditions[${index}]`, abi),
  }));
  const check = (decoded: unknown) => combineResults(set.match, resultsOf(rows, decoded));
  const explain = (decoded: unknown): MatchExplanation => {
    const explained = rows.map(({ condition, find }): ConditionResult => {
      const found = find(decoded);
      if (typeof found === "boolean") return { condition, result: found };
      const name = condition.field === "" ? "The value" : condition.field;
      return { condition, result: undefined, reason: `${name} cannot be compared: ${found.reason}.` };
    });
    const result = combineResults(
      set.match,
      explained.map((one) => one.result),
    );
    return { result, rows: explained };
  };
  const ends = (decoded: unknown) => {
    const known = rows.map(({ condition, find }) => {
      if (condition.is !== "exists" && readField(decoded, find.path) === undefined) return undefined;
      const found = find(decoded);
      return typeof found === "boolean" ? found : undefined;
    });
    return combineResults(set.match, known) === false;
  };
  return Object.assign(check, { explain, ends });
}

type Row = ((decoded: unknown) => Finding) & { readonly path: FieldPath };

function compileRow(condition: Condition, at: string, abi: Abi | undefined): Row {
  const wanted = checkCondition(condition, at);
  const path = parseFieldPath(condition.field, `${at}.field`);
  const { is, unit, not = false } = condition;
  if (is === "exists") {
    return Object.assign((decoded: unknown) => (readField(decoded, path) !== undefined) !== not, { path });
  }
  const compare = comparator(path[0] === "tokens" ? { ...wanted, decimals: 0 } : wanted);
  const valueIn = unit === "token" ? amountReader(path, condition.decimals) : (value: unknown) => value;
  const kindIn = kindReader(path, abi);
  const find = (decoded: unknown): Finding => {
    const value = readField(decoded, path);
    // Neither a comparison nor its opposite holds for what is not there.
    if (value === undefined) return false;
    const kind = kindIn(decoded);
    if (unit === "token" && !isAmount(kind))
      return { reason: `it is of type ${kind.type}, which is not an amount` };
    const compared = valueIn(value, decoded);
    if (compared === undefined) return NO_DECIMALS;
    if (unit === "token" && is === "contains" && !Array.isArray(compared)) return NOT_A_LIST;
    const found = compare(compared, unit === "token" ? amountKind(kind, condition.decimals) : kind);
    return typeof found === "boolean" ? found !== not : found;
  };
  return Object.assign(find, { path });
}

/** An amount that is converted is still of its type; one of `tokens` has decimal places. */
function amountKind({ type }: FieldKind, decimals: number | undefined): FieldKind {
  return decimals === undefined ? AMOUNT : { kind: "number", type };
}

const AMOUNT: FieldKind = { kind: "number", type: "" };
const NOT_A_LIST = { reason: "it is one amount and not a list: use another comparison" };
const NO_DECIMALS = {
  reason:
    "the decimals of its contract are not known, so it cannot be converted to tokens; set them, or compare the smallest unit",
};

function isAmount({ kind }: FieldKind): boolean {
  return kind === "number" || kind === "look";
}

/** Without decimals the amount is the one beside it in `tokens`, under the same names. */
function amountReader(
  path: FieldPath,
  decimals: number | undefined,
): (value: unknown, decoded: unknown) => unknown {
  if (decimals !== undefined || path[0] === "tokens") return (value) => value;
  const [root, ...rest] = path;
  return root === "params" ? (_, decoded) => readField(decoded, ["tokens", ...rest]) : () => undefined;
}

function* resultsOf(rows: ReadonlyArray<{ find: Row }>, decoded: unknown): Generator<boolean | undefined> {
  for (const { find } of rows) {
    const found = find(decoded);
    yield typeof found === "boolean" ? found : undefined;
  }
}

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
