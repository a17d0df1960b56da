import { aList, reading, texts, whole } from "../options/index.ts";
import { argName } from "../protocol/abi-names.ts";
import { arrayOf, integerType } from "./abi-type.ts";
import { amountRule, type IsAmount } from "./amount-rule.ts";
import type { AbiParameter } from "./types.ts";
import { fromSmallestUnit } from "./units.ts";
import { findKeys } from "./wire-names.ts";
import { fittingInteger, readInteger } from "./wire-values.ts";

type Fields = Record<string, unknown>;
type Conversion = { decimals: number; isAmount: IsAmount };

/** Deeper nesting is not read: without types, a hostile value could be nested without limit. */
const DEEPEST = 16;
const DIGITS = /^-?\d{1,78}$/;

/**
 * The values of a call or an event that are amounts of the contract's token, in tokens, under the same names. Of a
 * tuple only the parts that are amounts. Undefined where there is no amount.
 *
 * An amount is an integer of 64 bits or more with a usual name, such as `value`, `amount`, `wad` or `shares`, unless a
 * parameter next to it is a token id. Other names are amounts if `names` lists them; then the usual ones are not.
 * Underscores and case do not matter. A value that does not fit its type is left out.
 *
 * @param values by the names of the parameters, as `decodeFunctionCall` returns them
 * @param decimals the contract's
 * @param names the parameters that are amounts, where their names are not the usual ones
 * @example
 * const inputs = [{ name: "to", type: "address" }, { name: "amount", type: "uint256" }];
 * amountsInTokens({ to: counter, amount: "1500000" }, inputs, 6); // → { amount: "1.5" }
 */
export function amountsInTokens(
  values: unknown,
  parameters: readonly AbiParameter[],
  decimals: number,
  names?: readonly string[],
): Fields | undefined {
  parametersKind(parameters, "parameters");
  decimalsKind(decimals, "decimals");
  if (names !== undefined) texts(names, "names");
  return reading("values", () => ofParts(values, parameters, { decimals, isAmount: amountRule(names) }));
}

const parametersKind = aList<readonly AbiParameter[]>();
const decimalsKind = whole(0, 77);

/** The same where the types are not known: integers and lists of integers, by their names alone. */
export function untypedAmountsInTokens(
  values: unknown,
  decimals: number,
  names?: readonly string[],
): Fields | undefined {
  return ofObject(values, { decimals, isAmount: amountRule(names) }, 0);
}

function ofParts(values: unknown, parameters: readonly AbiParameter[], how: Conversion): Fields | undefined {
  if (!isObject(values)) return undefined;
  const { keys } = findKeys(parameters, values);
  const names = parameters.map(({ name }, index) => name || argName(index));
  return found(
    parameters.map((parameter, index) => {
      const key = keys[index];
      if (key === undefined) return undefined;
      return [key, ofParameter(values[key], { ...parameter, name: names[index] ?? "" }, names, how)] as const;
    }),
  );
}

function ofParameter(
  value: unknown,
  parameter: AbiParameter,
  among: readonly string[],
  how: Conversion,
): unknown {
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) {
    if (!holdsAmounts(item, among, how)) return undefined;
    return ofList(value, (one) => ofParameter(one, item, among, how));
  }
  const { type, components = [], indexed } = parameter;
  if (type === "tuple") return ofParts(value, components, how);
  const integer = integerType(type);
  if (integer === undefined || !how.isAmount(parameter, among)) return undefined;
  const digits = fittingInteger(integer, integerOf(value), indexed);
  return digits === undefined ? undefined : fromSmallestUnit(digits, how.decimals);
}

/** An empty list of amounts is a list of amounts; one of tuples without any is not. */
function holdsAmounts(parameter: AbiParameter, among: readonly string[], how: Conversion): boolean {
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) return holdsAmounts(item, among, how);
  const { type, components = [] } = parameter;
  if (type !== "tuple") return how.isAmount(parameter, among);
  const names = components.map(({ name }) => name);
  return components.some((part) => holdsAmounts(part, names, how));
}

function ofObject(values: unknown, how: Conversion, depth: number): Fields | undefined {
  if (!isObject(values) || depth > DEEPEST) return undefined;
  const names = Object.keys(values);
  return found(
    Object.entries(values).map(([name, value]) => [name, ofValue(value, name, names, how, depth)] as const),
  );
}

function ofValue(
  value: unknown,
  name: string,
  among: readonly string[],
  how: Conversion,
  depth: number,
): unknown {
  if (Array.isArray(value)) {
    if (depth > DEEPEST || (value.length === 0 && !how.isAmount({ name }, among))) return undefined;
    return ofList(value, (one) => ofValue(one, name, among, how, depth + 1));
  }
  if (isObject(value)) return ofObject(value, how, depth + 1);
  // Text of another form may be of a type that only looks like a number.
  const isWhole = typeof value === "string" ? DIGITS.test(value) : integerOf(value) !== undefined;
  return isWhole && how.isAmount({ name }, among) ? fromSmallestUnit(String(value), how.decimals) : undefined;
}

/** A list is converted as a whole or not at all: positions must stay. */
function ofList(value: unknown, convert: (one: unknown) => unknown): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const amounts = value.map(convert);
  return amounts.includes(undefined) ? undefined : amounts;
}

/** A number beyond 2^53 may already be rounded. */
function integerOf(value: unknown): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) return undefined;
  return readInteger(value);
}

function found(entries: ReadonlyArray<readonly [string, unknown] | undefined>): Fields | undefined {
  const amounts = entries.filter((entry) => entry !== undefined && entry[1] !== undefined);
  return amounts.length > 0 ? Object.fromEntries(amounts as Array<[string, unknown]>) : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
