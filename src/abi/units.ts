import { ArgumentError } from "../errors.ts";

/** A uint256 has 78 digits: more places than this would leave none before the point. */
const MOST_DECIMALS = 77;
/** Far beyond any amount, and short enough that reading it costs nothing. */
const MAX_TEXT = 300;
const DECIMAL = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

/**
 * An amount as people write it, in the smallest unit: `"1.5"` with 18 decimals is `"1500000000000000000"`.
 * Also takes how JavaScript writes very small and large numbers, `1e-7`.
 *
 * @param decimals places behind the point, 0 to 77
 * @param path names the value in the error
 * @throws ArgumentError `INVALID_ARGUMENT` when it is no decimal number, or has more places than there are.
 * @example
 * toSmallestUnit("1.5", 18, "amount"); // → "1500000000000000000"
 */
export function toSmallestUnit(text: string, decimals: number, path: string): string {
  checkDecimals(decimals);
  const trimmed = typeof text === "string" ? text.trim() : "";
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    (trimmed.length <= MAX_TEXT && DECIMAL.exec(trimmed)) || [];
  if (whole === "" && fraction === "") {
    throw new ArgumentError(path, `${path} must be a decimal number such as 1.5, as text and with a point.`);
  }
  const digits = `${whole}${fraction}`;
  const places = fraction.length - Number(exponent);
  const surplus = places - decimals;
  // Zeros at the end say nothing, wherever they stand.
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  if (surplus > digits.length - significant.length) {
    throw new ArgumentError(path, `${path} has more than ${decimals} decimal places; round it.`);
  }
  const shifted = surplus > 0 ? digits.slice(0, digits.length - surplus) : digits + "0".repeat(-surplus);
  return `${sign}${BigInt(shifted)}`;
}

/**
 * An amount in the smallest unit as people write it: `"1500000000000000000"` with 18 decimals is `"1.5"`.
 *
 * @param decimals places behind the point, 0 to 77
 * @throws ArgumentError `INVALID_ARGUMENT` when it is no whole number.
 * @example
 * fromSmallestUnit("1500000000000000000", 18); // → "1.5"
 */
export function fromSmallestUnit(integer: string | bigint, decimals: number): string {
  checkDecimals(decimals);
  const [, sign = "", digits] = /^(-?)0*(\d+)$/.exec(String(integer).trim()) ?? [];
  if (digits === undefined) {
    throw new ArgumentError("amount", "An amount in the smallest unit must be a whole number.");
  }
  const padded = digits.padStart(decimals + 1, "0");
  const point = padded.length - decimals;
  const fraction = padded.slice(point).replace(/0+$/, "");
  const amount = fraction === "" ? padded.slice(0, point) : `${padded.slice(0, point)}.${fraction}`;
  return amount === "0" ? "0" : `${sign}${amount}`;
}

function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= MOST_DECIMALS) return;
  throw new ArgumentError("decimals", `Decimals are a whole number from 0 to ${MOST_DECIMALS}.`);
}
