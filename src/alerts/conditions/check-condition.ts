import { ArgumentError } from "../../errors.ts";
import {
  COMPARISONS,
  COMPARISONS_OF_AMOUNTS,
  COMPARISONS_WITHOUT_VALUE,
  type Comparison,
  NUMERIC_COMPARISONS,
} from "../../protocol/index.ts";
import type { Condition, ConditionSet } from "../types.ts";
import { numberOf, type Wanted } from "./compare.ts";
import { compareDecimals, type Decimal, readDecimal } from "./value-set.ts";

/** Limits of a set of conditions, far above what a person writes. */
const MOST_CONDITIONS = 1_000;
const MOST_VALUES = 100_000;
const LONGEST_VALUE = 10_000;
const MOST_DECIMALS = 77;

/** Any text contains empty text, so a condition with empty text says nothing. */
const TEXTUAL: readonly Comparison[] = ["contains", "startsWith", "endsWith"];

/** A list of conditions stands for all of them. @throws {ArgumentError} `INVALID_ARGUMENT` */
export function checkSet(given: ConditionSet | readonly Condition[]): ConditionSet {
  const set = isList(given) ? { match: "all" as const, conditions: given } : given;
  if (!isObject(set) || !isList(set.conditions)) throw wrong("conditions", "must be a list");
  if (set.match !== "all" && set.match !== "any") throw wrong("match", 'must be "all" or "any"');
  if (set.conditions.length > MOST_CONDITIONS)
    throw wrong("conditions", `has more than ${MOST_CONDITIONS} rows`);
  return set;
}

/** The comparison of a row, checked. @throws {ArgumentError} `INVALID_ARGUMENT` */
export function checkCondition(condition: Condition, at: string): Wanted {
  if (!isObject(condition)) throw wrong(at, "must be an object with the members field, is and value");
  const { is, value, to, unit, decimals, not } = condition;
  if (!COMPARISONS.includes(is)) throw wrong(`${at}.is`, `must be one of ${COMPARISONS.join(", ")}`);
  if (not !== undefined && typeof not !== "boolean") throw wrong(`${at}.not`, "must be true or false");
  checkUnit(condition, at);
  const values = COMPARISONS_WITHOUT_VALUE.includes(is) ? [] : valuesOf(value, is, `${at}.value`);
  if (unit === "token" || NUMERIC_COMPARISONS.includes(is)) {
    for (const one of values) checkNumber(one, `${at}.value`);
  }
  const wanted: Wanted = { is, values, ...(decimals === undefined ? {} : { decimals }) };
  return is === "between" ? { ...wanted, to: upperBound(values[0] ?? "", to, `${at}.to`) } : wanted;
}

function checkUnit({ is, unit, decimals }: Condition, at: string): void {
  if (unit !== undefined && unit !== "token")
    throw wrong(`${at}.unit`, 'must be "token", or missing for the smallest unit');
  if (unit !== undefined && !COMPARISONS_OF_AMOUNTS.includes(is))
    throw wrong(`${at}.unit`, `has no meaning for ${is}; remove it`);
  if (decimals === undefined) return;
  if (unit === undefined) throw wrong(`${at}.decimals`, 'needs the unit "token"');
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS) {
    throw wrong(`${at}.decimals`, `must be a whole number from 0 to ${MOST_DECIMALS}`);
  }
}

function valuesOf(value: unknown, is: Comparison, at: string): string[] {
  const given: readonly unknown[] = is === "oneOf" ? (isList(value) ? value : []) : [value];
  if (is === "oneOf" && given.length === 0) throw wrong(at, "must be a list with at least one value");
  if (given.length > MOST_VALUES) throw wrong(at, `has more than ${MOST_VALUES} values`);
  return given.map((one, index) => textOf(one, is, is === "oneOf" ? `${at}[${index}]` : at));
}

/** Also takes numbers and bigints, which a program may have. */
function textOf(value: unknown, is: Comparison, at: string): string {
  const isExact = typeof value !== "string" && readDecimal(value) !== undefined;
  const text = isExact ? String(value) : value;
  if (typeof text !== "string") throw wrong(at, "must be text; a number beyond 2^53 as text too");
  if (text.length > LONGEST_VALUE) throw wrong(at, `has more than ${LONGEST_VALUE} characters`);
  if (text === "" && (TEXTUAL.includes(is) || is === "oneOf")) throw wrong(at, "must not be empty");
  return text;
}

function checkNumber(text: string, at: string): Decimal {
  const number = numberOf(text);
  if (number === undefined) throw wrong(at, "must be a decimal number such as 1.5, with a point");
  return number;
}

function upperBound(from: string, value: unknown, at: string): string {
  const to = textOf(value, "between", at);
  const upper = checkNumber(to, at);
  if (compareDecimals(checkNumber(from, at), upper) <= 0) return to;
  throw wrong(at, "must not be below the lower bound; exchange the two bounds");
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function wrong(path: string, problem: string): ArgumentError {
  return new ArgumentError(path, `${path} ${problem}.`);
}
