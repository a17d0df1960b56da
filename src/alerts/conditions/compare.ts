import { fixedBytesSize, numberType } from "../../abi/abi-type.ts";
import { ArgumentError } from "../../errors.ts";
import {
  COMPARISONS,
  COMPARISONS_OF_AMOUNTS,
  COMPARISONS_WITHOUT_VALUE,
  type Comparison,
  NUMERIC_COMPARISONS,
} from "../../protocol/index.ts";
import type { Condition, ConditionSet } from "../types.ts";
import { type FieldKind, isListType } from "./field-kind.ts";
import {
  compareDecimals,
  type Decimal,
  type Finding,
  notOfKind,
  readDecimal,
  shifted,
  shown,
  valueSet,
} from "./value-set.ts";

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

/** A row without its field: whether a value that is there fits. */
type Comparator = (value: unknown, kind: FieldKind) => Finding;

/** A checked row. `decimals`: the values are in tokens, and the field in the smallest unit. */
type Wanted = { is: Comparison; values: readonly string[]; to?: string; decimals?: number };

type Scalar = (value: unknown, field: FieldKind) => Finding;

const SCALARS: ReadonlySet<string> = new Set(["string", "number", "bigint", "boolean"]);
const HEX = /^0x[0-9a-f]*$/i;

/** How a value is compared. A list `contains` what equals one of its elements; other comparisons take no list. */
export function comparator(wanted: Wanted): Comparator {
  const scalar = scalarComparison(wanted);
  const equals = wanted.is === "contains" ? valueSet(wanted.values, wanted.decimals) : undefined;
  return (value, field) => {
    const { kind } = field;
    if (Array.isArray(value)) {
      if (equals !== undefined && kind !== "hash") return anyElement(value, (one) => equals(one, field));
      return { reason: 'it is a list: use "contains", or name an element such as [0]' };
    }
    if (!SCALARS.has(typeof value)) return { reason: "it has several parts: name one of them" };
    if (isListType(field)) return { reason: `its value is not a list, as ${field.type} is` };
    return scalar(value, field);
  };
}

function anyElement(list: readonly unknown[], test: (value: unknown) => Finding): Finding {
  let open: Finding = false;
  for (const element of list) {
    const found = test(element);
    if (found === true) return true;
    if (found !== false) open = found;
  }
  return open;
}

function scalarComparison({ is, values, to, decimals }: Wanted): Scalar {
  const [text = ""] = values;
  switch (is) {
    case "exists":
      return () => true;
    case "isTrue":
    case "isFalse":
      return isBoolean(is === "isTrue");
    case "equals":
    case "oneOf":
      return valueSet(values, decimals);
    case "above":
    case "atLeast":
    case "below":
    case "atMost":
      return numeric(text, decimals, is);
    case "between": {
      const from = numeric(text, decimals, "atLeast");
      const upTo = numeric(to ?? "", decimals, "atMost");
      return (value, field) => {
        const found = from(value, field);
        return found === true ? upTo(value, field) : found;
      };
    }
    case "contains":
      return textual(text, (one, part) => one.includes(part));
    case "startsWith":
      return textual(text, (one, part) => one.startsWith(part));
    case "endsWith":
      return textual(text, (one, part) => one.endsWith(part));
  }
}

/** `end`: the value of a type that meets such a row, if any does. */
const ORDERS = {
  above: { holds: (order: number) => order > 0, end: "max", words: "above" },
  atLeast: { holds: (order: number) => order >= 0, end: "max", words: "at least" },
  below: { holds: (order: number) => order < 0, end: "min", words: "below" },
  atMost: { holds: (order: number) => order <= 0, end: "min", words: "at most" },
} as const;

function numeric(text: string, decimals: number | undefined, is: keyof typeof ORDERS): Scalar {
  const wanted = numberOf(text, decimals);
  const { holds, end, words } = ORDERS[is];
  const isPossible = (type: string, number: Decimal) => {
    const range = numberType(type);
    return (
      range === undefined || holds(compareDecimals({ digits: range[end], places: range.places }, number))
    );
  };
  // Most rows are about one type.
  let known: { type: string; isPossible: boolean } | undefined;
  return (value, { kind, type }) => {
    const number = kind === "number" || kind === "text" || kind === "look" ? readDecimal(value) : undefined;
    if (number === undefined || wanted === undefined) return notOfKind("number");
    if (holds(compareDecimals(number, wanted))) return true;
    if (known?.type !== type) known = { type, isPossible: isPossible(type, wanted) };
    return known.isPossible ? false : { reason: `no ${type} is ${words} ${shown(text)}` };
  };
}

/** The number of a row, in the unit of its field. */
function numberOf(text: string, decimals = 0): Decimal | undefined {
  const number = readDecimal(text.trim());
  return number && shifted(number, decimals);
}

/** Hex is compared without case, like the bytes that it stands for. */
function textual(part: string, holds: (text: string, part: string) => boolean): Scalar {
  const lower = part.toLowerCase();
  return (value, { kind, type }) => {
    if (kind === "hash" || (typeof value === "number" && readDecimal(value) === undefined)) {
      return notOfKind(kind === "hash" ? "text" : "number");
    }
    const text = String(value);
    const isHex = kind === "bytes" || kind === "address" || (kind === "look" && HEX.test(text));
    const digits = hexDigits(type);
    if (digits !== undefined && part.length > digits + 2)
      return { reason: `"${shown(part)}" is longer than ${type}, which has ${digits} hex digits` };
    return isHex ? holds(text.toLowerCase(), lower) : holds(text, part);
  };
}

/** Of a type of one size that is written as hex. */
function hexDigits(type: string): number | undefined {
  const bytes = type === "address" ? 20 : fixedBytesSize(type);
  return bytes === undefined ? undefined : bytes * 2;
}

function isBoolean(wanted: boolean): Scalar {
  return (value) => {
    if (value === wanted || value === String(wanted)) return true;
    return value === !wanted || value === String(!wanted) ? false : notOfKind("bool");
  };
}
