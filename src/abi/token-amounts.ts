import { ArgumentError, CrecError } from "../errors.ts";
import { parseJson } from "../json.ts";
import { aList, reading, text, texts, whole } from "../options/index.ts";
import { argName, valueNames } from "../protocol/abi-names.ts";
import { type AbiParameter, arrayOf, integerType } from "./abi-type.ts";
import { amountRule, fromSmallestUnit, type IsAmount, toSmallestUnit } from "./units.ts";
import { findKeys, fittingInteger, readInteger } from "./wire-values.ts";

/** Integers, alone or in lists: what can be an amount of tokens. */
const INTEGERS = /^u?int\d*(?:\[\d*\])*$/;

/**
 * Amounts of tokens as the contract takes them, in its smallest unit. Takes `1.5`, `"1.5"`, a list of such, and a list
 * as JSON text.
 *
 * @param type the parameter's ABI type, such as `uint256` or `uint256[]`
 * @param decimals of the contract that is called, which the caller has to know: nothing is looked up. Undefined where
 * they are not known
 * @param path names the value in the error
 * @throws {CrecError} `NO_DECIMALS`; {ArgumentError} `INVALID_ARGUMENT` with the path of the amount.
 * @example
 * parseTokenAmounts(["1.5", 2], "uint256[]", 6, "args.amounts"); // → ["1500000", "2000000"]
 */
export function parseTokenAmounts(
  value: unknown,
  type: string,
  decimals: number | undefined,
  path: string,
): unknown {
  text(path, "path");
  text(type, "type");
  if (decimals === undefined) {
    throw new CrecError(
      "NO_DECIMALS",
      `${path} is given in tokens, but its contract has no decimals. Set the decimals of the contract, or give the amount in the smallest unit.`,
    );
  }
  if (!INTEGERS.test(type)) {
    throw new ArgumentError(path, `${path} is of type ${type}, which is not an amount of tokens.`);
  }
  const item = arrayOf({ type })?.item.type;
  if (item === undefined) return toSmallestUnit(decimalText(value, path), decimals, path);
  const list = typeof value === "string" ? parsedList(value) : value;
  // The encoder refuses what is not a list, with a sentence of its own.
  if (!isList(list)) return value;
  return list.map((entry: unknown, index) => parseTokenAmounts(entry, item, decimals, `${path}[${index}]`));
}

/**
 * What a function returned, with every integer as an amount of tokens, in lists and tuples too. Use it only for results
 * whose integers are all amounts; `amountsInTokens` picks the amounts. With `names`, of several values only those of
 * these names; a single value always.
 *
 * @param result as `decodeFunctionResult` returns it
 * @param decimals of the contract that was called, which the caller has to know
 * @param names the outputs, and parts of tuples, that are amounts. @default all
 * @throws {ArgumentError} `INVALID_ARGUMENT` when an integer is not a whole number.
 * @example
 * formatTokenAmounts("1500000", [{ name: "", type: "uint256" }], 6); // → "1.5"
 */
export function formatTokenAmounts(
  result: unknown,
  outputs: readonly AbiParameter[],
  decimals: number,
  names: readonly string[] = [],
): unknown {
  parametersKind(outputs, "outputs");
  decimalsKind(decimals, "decimals");
  texts(names, "names");
  return reading("result", () => formatted(result, outputs, { decimals, names }));
}

function formatted(
  result: unknown,
  outputs: readonly AbiParameter[],
  { decimals, names }: { decimals: number; names: readonly string[] },
): unknown {
  const [only = NOTHING, ...others] = outputs;
  const isSingle = others.length === 0 && INTEGERS.test(only.type);
  const isAmount = names.length === 0 || isSingle ? () => true : amountRule(names);
  const parameter = others.length === 0 ? only : { name: "", type: "tuple", components: [...outputs] };
  return format(parameter, result, { decimals, isAmount });
}

const NOTHING: AbiParameter = { name: "", type: "tuple", components: [] };

function format(
  parameter: AbiParameter,
  value: unknown,
  how: { decimals: number; isAmount: IsAmount },
): unknown {
  const { type, components = [] } = parameter;
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) {
    return Array.isArray(value) ? value.map((entry: unknown) => format(item, entry, how)) : value;
  }
  if (type === "tuple" && typeof value === "object" && value !== null) {
    const parts = value as Record<string, unknown>;
    const named = valueNames(components).map((name, index) => [name, components[index] ?? NOTHING] as const);
    return Object.fromEntries(named.map(([name, part]) => [name, format(part, parts[name], how)]));
  }
  const isAmount = INTEGERS.test(type) && how.isAmount(parameter, []);
  return isAmount ? fromSmallestUnit(String(value), how.decimals) : value;
}

/** Also of a revoked proxy, of which even that cannot be asked. */
function isList(value: unknown): value is unknown[] {
  return reading("value", () => Array.isArray(value));
}

function decimalText(value: unknown, path: string): string {
  if (typeof value === "string" || typeof value === "bigint") return String(value);
  if (typeof value === "number" && !mayBeRounded(value)) return String(value);
  const why =
    typeof value === "number"
      ? Number.isFinite(value)
        ? "is a number that may already be rounded; give it as text"
        : `must be a decimal number such as 1.5, but ${value} is not a number`
      : `must be a decimal number such as 1.5, not ${isList(value) ? "a list" : typeof value}`;
  throw new ArgumentError(path, `${path} ${why}.`);
}

/** An integer beyond 2^53, or a fraction with more digits than every number keeps. */
function mayBeRounded(value: number): boolean {
  if (Number.isInteger(value)) return !Number.isSafeInteger(value);
  const [digits = ""] = value.toExponential().split("e");
  return !Number.isFinite(value) || digits.replace(/\D/g, "").length >= 16;
}

function parsedList(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

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
