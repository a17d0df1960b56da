import type { Comparison } from "../../../src/protocol/index.ts";

/** A field value as a test knows it: what it means, beside how it is written. */
export type Meant =
  | { kind: "number"; digits: bigint; places: number }
  | { kind: "hex"; digits: string }
  | { kind: "bool"; is: boolean }
  | { kind: "text"; text: string };

export type Row = { is: Comparison; values: readonly Meant[]; to?: Meant; not: boolean };

/**
 * What a row says about a field of a known type, without the library: numbers are brought to a common denominator, hex is
 * compared digit by digit. Undefined for a value that is not of the kind that the comparison needs.
 */
export function expected({ is, values, to, not }: Row, field: Meant | undefined): boolean | undefined {
  if (is === "exists") return (field !== undefined) !== not;
  if (field === undefined) return false;
  const found = holds({ is, values, ...(to ? { to } : {}), not }, field);
  return found === undefined ? undefined : found !== not;
}

function holds({ is, values: [first, ...more], to }: Row, field: Meant): boolean | undefined {
  switch (is) {
    case "isTrue":
    case "isFalse":
      return field.kind === "bool" ? field.is === (is === "isTrue") : undefined;
    case "equals":
    case "oneOf":
      return first && [first, ...more].some((one) => same(one, field));
    case "above":
    case "atLeast":
    case "below":
    case "atMost":
    case "between": {
      if (field.kind !== "number" || first?.kind !== "number") return undefined;
      const order = difference(field, first);
      if (is === "above") return order > 0n;
      if (is === "atLeast") return order >= 0n;
      if (is === "below") return order < 0n;
      if (is === "atMost") return order <= 0n;
      return order >= 0n && to?.kind === "number" && difference(field, to) <= 0n;
    }
    default:
      throw new Error(`The model does not know ${is}.`);
  }
}

function same(a: Meant, b: Meant): boolean {
  if (a.kind === "number" && b.kind === "number") return difference(a, b) === 0n;
  if (a.kind === "hex" && b.kind === "hex") return a.digits === b.digits;
  if (a.kind === "bool" && b.kind === "bool") return a.is === b.is;
  return a.kind === "text" && b.kind === "text" && a.text === b.text;
}

type Fraction = { digits: bigint; places: number };

function difference(a: Fraction, b: Fraction): bigint {
  return a.digits * 10n ** BigInt(b.places) - b.digits * 10n ** BigInt(a.places);
}
