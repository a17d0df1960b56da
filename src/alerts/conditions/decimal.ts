/** An exact decimal number, `digits` / 10^`places`, with as few places as possible. */
export type Decimal = { digits: bigint; places: number };

/** Longer than any number of a chain, and short enough to be read quickly. */
const LONGEST = 300;
const WHOLE = /^-?\d+$/;
const DECIMAL = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;
const HEX = /^0x[0-9a-f]{1,64}$/i;

/**
 * A number, a bigint or text as an exact decimal: `7`, `"1.50"`, `"1e18"`, `"0x10"`. Undefined for anything else, and
 * for a whole number beyond 2^53 that is not text or a bigint, because it may already be rounded.
 */
export function readDecimal(value: unknown): Decimal | undefined {
  if (typeof value === "string") return readText(value);
  if (typeof value === "bigint") return readText(String(value));
  const mayBeRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "number" && !mayBeRounded ? readText(String(value)) : undefined;
}

function readText(text: string): Decimal | undefined {
  if (text.length > LONGEST) return undefined;
  if (WHOLE.test(text) || HEX.test(text)) return { digits: BigInt(text), places: 0 };
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  return reduced(sign === "" ? digits : -digits, fraction.length - Number(exponent));
}

/** The number times 10^`places`. */
export function shifted(number: Decimal, places: number): Decimal {
  return reduced(number.digits, number.places - places);
}

/** Below 0 where `a` is the smaller one, 0 where both are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const places = Math.max(a.places, b.places);
  const [left, right] = [scaled(a, places), scaled(b, places)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The same text for equal numbers. */
export function decimalKey({ digits, places }: Decimal): string {
  return places === 0 ? String(digits) : `${digits}e-${places}`;
}

function reduced(digits: bigint, places: number): Decimal {
  if (places <= 0) return { digits: digits * 10n ** BigInt(-places), places: 0 };
  const text = String(digits);
  const zeros = digits === 0n ? places : Math.min(places, text.length - text.replace(/0+$/, "").length);
  return { digits: digits / 10n ** BigInt(zeros), places: places - zeros };
}

function scaled(number: Decimal, places: number): bigint {
  return number.places === places ? number.digits : number.digits * 10n ** BigInt(places - number.places);
}
