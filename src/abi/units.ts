import { ArgumentError } from "../errors.ts";
import { kindOf, text as textKind, whole } from "../options/index.ts";
import { integerType } from "./abi-type.ts";

/**
 * Names that standards and usual tokens give to amounts of the contract's own token: ERC-20, ERC-777, ERC-4626, WETH,
 * Compound. Amounts of other tokens are not among them: `assets` of a vault, `amount0In` of a pair.
 */
const USUAL_AMOUNTS = [
  "value",
  "values",
  "amount",
  "amounts",
  "wad",
  "tokens",
  "shares",
  "balance",
  "balances",
  "allowance",
  "needed",
  "supply",
  "totalSupply",
  "rawAmount",
  "addedValue",
  "subtractedValue",
] as const;

/** A parameter as far as it is known: the type is not where only the values are there. */
type Named = { name: string; type?: string };

/** Whether a parameter is an amount; `among` are the names of all parameters beside it. */
export type IsAmount = (parameter: Named, among: readonly string[]) => boolean;

/** What tells apart tokens that have no amounts: an amount next to it is a count of that one. */
const TOKEN_IDS = new Set(["id", "ids", "tokenid", "tokenids"]);
/** Smaller integers are flags, counts and times. */
const LEAST_BITS = 64;

const USUAL: ReadonlySet<string> = new Set(USUAL_AMOUNTS.map(plainName));

/**
 * The one rule for what is an amount of tokens.
 *
 * @param names what a person says are the amounts, of integers of any size; without, an integer of 64 bits or more is
 * an amount if it has one of the usual names and is not next to a token id
 */
export function amountRule(names: readonly string[] = []): IsAmount {
  if (names.length > 0) {
    const named = new Set(names.map(plainName));
    return ({ name, type }) => named.has(plainName(name)) && (type === undefined || isInteger(type, 1));
  }
  const holdsTokenId = remembered((among) => among.some((other) => TOKEN_IDS.has(plainName(other))));
  return ({ name, type }, among) =>
    USUAL.has(plainName(name)) && (type === undefined || isInteger(type, LEAST_BITS)) && !holdsTokenId(among);
}

/** Checked once for each list: a check for each of its parameters would take too long for a large one. */
function remembered(find: (among: readonly string[]) => boolean): (among: readonly string[]) => boolean {
  const found = new WeakMap<readonly string[], boolean>();
  return (among) => {
    const known = found.get(among) ?? find(among);
    found.set(among, known);
    return known;
  };
}

/** A name whatever its notation: `tokenId`, `_tokenId` and `token_id` are one. */
export function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function isInteger(type: string, least: number): boolean {
  return (integerType(type)?.bits ?? 0) >= least;
}

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
