import { ArgumentError } from "../errors.ts";
import { kindOf, text as textKind, whole } from "../options/index.ts";

/** A uint256 has 78 digits: with more decimal places, none would be left before the point. */
const MAX_DECIMALS = 77;
/** Longer than any amount, and short enough to be read quickly. */
const MAX_TEXT = 300;
const DECIMAL = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

/**
 * An amount in the smallest unit, from decimal text: `"1.5"` with 18 decimals is `"1500000000000000000"`. Also reads
 * JavaScript's form of very small and large numbers, `1e-7`.
 *
 * @param decimals places after the point, 0 to 77
 * @param path the name of the value in the error
 * @throws ArgumentError `INVALID_ARGUMENT` when it is not a decimal number, or has too many decimal places.
 * @example
 * toSmallestUnit("1.5", 18, "amount"); // → "1500000000000000000"
 */
export function toSmallestUnit(text: string, decimals: number, path: string): string {
  decimalsKind(decimals, "decimals");
  return inSmallestPlace(text, decimals, textKind(path, "path"));
}

/** The same for any number of decimal places, such as those of a fixed-point type. */
export function inSmallestPlace(text: string, decimals: number, path: string): string {
  const trimmed = typeof text === "string" ? text.trim() : "";
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    (trimmed.length <= MAX_TEXT && DECIMAL.exec(trimmed)) || [];
  if (whole === "" && fraction === "") {
    throw new ArgumentError(path, `${path} must be a decimal number such as 1.5, as text and with a point.`);
  }
  const digits = `${whole}${fraction}`;
  const places = fraction.length - Number(exponent);
  const surplus = places - decimals;
  // Trailing zeros do not count.
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  if (surplus > digits.length - significant.length) {
    throw new ArgumentError(path, `${path} has more than ${decimals} decimal places; round it.`);
  }
  const shifted = surplus > 0 ? digits.slice(0, digits.length - surplus) : digits + "0".repeat(-surplus);
  return `${sign}${BigInt(shifted)}`;
}

/**
 * Decimal text from an amount in the smallest unit: `"1500000000000000000"` with 18 decimals is `"1.5"`.
 *
 * @param decimals places after the point, 0 to 77
 * @throws ArgumentError `INVALID_ARGUMENT` when it is not a whole number.
 * @example
 * fromSmallestUnit("1500000000000000000", 18); // → "1.5"
 */
export function fromSmallestUnit(integer: string | bigint, decimals: number): string {
  decimalsKind(decimals, "decimals");
  const [, sign = "", digits] = /^(-?)0*(\d+)$/.exec(String(wholeKind(integer, "amount")).trim()) ?? [];
  if (digits === undefined) {
    throw new ArgumentError("amount", "An amount in the smallest unit must be a whole number.");
  }
  const padded = digits.padStart(decimals + 1, "0");
  const point = padded.length - decimals;
  const fraction = padded.slice(point).replace(/0+$/, "");
  const amount = fraction === "" ? padded.slice(0, point) : `${padded.slice(0, point)}.${fraction}`;
  return amount === "0" ? "0" : `${sign}${amount}`;
}

const decimalsKind = whole(0, MAX_DECIMALS);
const wholeKind = kindOf<string | bigint>("a whole number, as text or bigint", (value) =>
  /^(string|bigint|number)$/.test(typeof value),
);
