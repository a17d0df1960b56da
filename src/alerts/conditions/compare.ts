import { fixedBytesSize, numberType } from "../../abi/abi-type.ts";
import type { Comparison } from "../../protocol/index.ts";
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

/** A row without its field: whether a value that is there fits. */
type Comparator = (value: unknown, kind: FieldKind) => Finding;

/** A checked row. `decimals`: the values are in tokens, and the field in the smallest unit. */
export type Wanted = { is: Comparison; values: readonly string[]; to?: string; decimals?: number };

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
export function numberOf(text: string, decimals = 0): Decimal | undefined {
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
