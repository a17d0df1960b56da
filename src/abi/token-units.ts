import { ArgumentError, CrecError } from "../errors.ts";
import { parseJson } from "../json.ts";
import { aList, reading, text, texts, whole } from "../options/index.ts";
import { valueNames } from "../protocol/abi-names.ts";
import { arrayOf } from "./abi-type.ts";
import { amountRule, type IsAmount } from "./amount-rule.ts";
import type { AbiParameter } from "./types.ts";
import { fromSmallestUnit, toSmallestUnit } from "./units.ts";

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

const parametersKind = aList<readonly AbiParameter[]>();
const decimalsKind = whole(0, 77);

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
