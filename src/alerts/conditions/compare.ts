import type { Comparison } from "../../protocol/index.ts";
import { compareDecimals, type Decimal, readDecimal, shifted } from "./decimal.ts";
import { type FieldKind, isListType, type Kind } from "./field-kind.ts";
import { type Finding, notOfKind, valueSet } from "./value-set.ts";

/** A row without its field: whether a value that is there fits. */
export type Comparator = (value: unknown, kind: FieldKind) => Finding;

/** A checked row. `decimals`: the values are in tokens, and the field in the smallest unit. */
export type Wanted = { is: Comparison; values: readonly string[]; to?: string; decimals?: number };

type Scalar = (value: unknown, kind: Kind) => Finding;

const SCALARS: ReadonlySet<string> = new Set(["string", "number", "bigint", "boolean"]);
const HEX = /^0x[0-9a-f]*$/i;

/** How a value is compared. A list `contains` what equals one of its elements; other comparisons take no list. */
export function comparator(wanted: Wanted): Comparator {
  const scalar = scalarComparison(wanted);
  const equals = wanted.is === "contains" ? valueSet(wanted.values, wanted.decimals) : undefined;
  return (value, field) => {
    const { kind } = field;
    if (Array.isArray(value)) {
      if (equals !== undefined && kind !== "hash") return anyElement(value, (one) => equals(one, kind));
      return { reason: 'it is a list: use "contains", or name an element such as [0]' };
    }
    if (!SCALARS.has(typeof value)) return { reason: "it has several parts: name one of them" };
    if (isListType(field)) return { reason: `its value is not a list, as ${field.type} is` };
    return scalar(value, kind);
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
      return numeric(text, decimals, (order) => order > 0);
    case "atLeast":
      return numeric(text, decimals, (order) => order >= 0);
    case "below":
      return numeric(text, decimals, (order) => order < 0);
    case "atMost":
      return numeric(text, decimals, (order) => order <= 0);
    case "between": {
      const from = numeric(text, decimals, (order) => order >= 0);
      const upTo = numeric(to ?? "", decimals, (order) => order <= 0);
      return (value, kind) => {
        const found = from(value, kind);
        return found === true ? upTo(value, kind) : found;
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

function numeric(text: string, decimals: number | undefined, holds: (order: number) => boolean): Scalar {
  const wanted = numberOf(text, decimals);
  return (value, kind) => {
    const number = kind === "number" || kind === "text" || kind === "look" ? readDecimal(value) : undefined;
    return number === undefined || wanted === undefined
      ? notOfKind("number")
      : holds(compareDecimals(number, wanted));
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
  return (value, kind) => {
    if (kind === "hash" || (typeof value === "number" && readDecimal(value) === undefined)) {
      return notOfKind(kind === "hash" ? "text" : "number");
    }
    const text = String(value);
    const isHex = kind === "bytes" || kind === "address" || (kind === "look" && HEX.test(text));
    return isHex ? holds(text.toLowerCase(), lower) : holds(text, part);
  };
}

function isBoolean(wanted: boolean): Scalar {
  return (value) => {
    if (value === wanted || value === String(wanted)) return true;
    return value === !wanted || value === String(!wanted) ? false : notOfKind("bool");
  };
}
