import { fixedBytesSize, numberText, numberType } from "../../abi/abi-type.ts";
import { bytesText } from "../../abi/values.ts";
import { canonicalAddress, isAddress } from "../../protocol/index.ts";
import type { FieldKind, Kind } from "./field-kind.ts";

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
function decimalKey({ digits, places }: Decimal): string {
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

/** Why a condition cannot be decided. */
type Undecided = { reason: string };
export type Finding = boolean | Undecided;

/** Whether a value equals one of the set. `field`: its kind, and its type or that of the list that it is in. */
type ValueSet = (value: unknown, field: FieldKind) => Finding;

/** Equal values of a kind have the same text; undefined for a value that is not of this kind. */
type KeyOf = (value: unknown) => string | undefined;

/** Two values whose types are not known are equal as bytes where both are hex, else as numbers, else as text. */
type Look = {
  bytes: Set<string>;
  /** Of values that are not hex. */
  numbers: Set<string>;
  /** Of hex values. Made when first needed: parsing is slow, and few events need it. */
  hexNumbers: () => Set<string>;
  texts: Set<string>;
};

const WHAT: Readonly<Record<Kind, string>> = {
  number: "a number that is known exactly",
  address: "an address",
  bool: "true or false",
  bytes: "bytes as hex",
  text: "text",
  hash: "the hash of a value, which is all that the chain stores of this indexed parameter",
  look: "a value that can be compared",
};

const KEYS: Readonly<Record<Exclude<Kind, "look">, KeyOf>> = {
  number: numberKey,
  address: (value) => (typeof value === "string" && isAddress(value) ? canonicalAddress(value) : undefined),
  bool: (value) =>
    value === true || value === "true" ? "true" : value === false || value === "false" ? "false" : undefined,
  bytes: bytesText,
  hash: (value) => {
    const bytes = bytesText(value);
    return bytes?.length === 66 ? bytes : undefined;
  },
  text: (value) => (typeof value === "string" ? value : undefined),
};

/**
 * The values of a condition, found at once however many there are.
 *
 * @param decimals the values are in tokens with this many decimal places, and are compared with the smallest unit
 */
export function valueSet(values: readonly string[], decimals?: number): ValueSet {
  const sets = new Map<string, { keys: Set<string>; misfit: string | undefined }>();
  let look: Look | undefined;
  return (value, { kind, type }) => {
    if (kind === "look") {
      look ??= lookOf(values);
      return isIn(look, value);
    }
    const { keys, misfit } = sets.get(kind + type) ?? addSet(kind, type);
    const key = KEYS[kind](value);
    if (key === undefined) return notOfKind(kind);
    if (keys.has(key)) return true;
    return misfit === undefined ? false : { reason: misfit };
  };

  function addSet(kind: Exclude<Kind, "look">, type: string) {
    const keyOf = kind === "number" ? (text: string) => numberKey(text.trim(), decimals) : KEYS[kind];
    const keys = values.map((text) => keyOf(kind === "text" ? text : text.trim()));
    const item = type.replace(/(?:\[\d*\])+$/, "");
    const problemIn = (key: string | undefined) => {
      if (key === undefined) return `is not ${WHAT[kind]}`;
      return kind === "hash" ? undefined : problemOf(key, item, decimals);
    };
    const misfits = values.flatMap((text, index) => {
      const problem = problemIn(keys[index]);
      return problem === undefined ? [] : `"${shown(text)}" ${problem}`;
    });
    const set = { keys: new Set(keys.filter((key) => key !== undefined)), misfit: misfits[0] };
    sets.set(kind + type, set);
    return set;
  }
}

/** Why no value of this type equals it: its length, its range or its decimal places. A type that is not known takes all. */
function problemOf(key: string, type: string, decimals: number | undefined): string | undefined {
  const size = fixedBytesSize(type);
  const bytes = (key.length - 2) / 2;
  if (size !== undefined)
    return bytes === size ? undefined : `has ${bytes} ${bytes === 1 ? "byte" : "bytes"}, ${type} has ${size}`;
  const range = numberType(type);
  if (range === undefined) return undefined;
  const { min, max, places } = range;
  const [digits = "", fraction = "0"] = key.split("e-");
  if (Number(fraction) > places) {
    if (decimals === undefined && places === 0) return `is not a whole number, as ${type} is`;
    return `has more than ${decimals ?? places} decimal places`;
  }
  const stored = BigInt(digits) * 10n ** BigInt(places - Number(fraction));
  if (stored >= min && stored <= max) return undefined;
  return `is outside of ${type}, which is ${numberText(min, places)} to ${numberText(max, places)}`;
}

/** What a value of this kind is, for the sentence that says why it cannot be compared. */
export function notOfKind(kind: Kind): Undecided {
  return { reason: `its value is not ${WHAT[kind]}` };
}

/** A value as a sentence shows it. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function numberKey(value: unknown, decimals = 0): string | undefined {
  const number: Decimal | undefined = readDecimal(value);
  return number && decimalKey(decimals === 0 ? number : shifted(number, decimals));
}

function lookOf(values: readonly string[]): Look {
  const bytes = new Set<string>();
  const numbers = new Set<string>();
  for (const text of values.map((one) => one.trim())) {
    const hex = bytesText(text);
    const number = hex === undefined ? numberKey(text) : undefined;
    if (hex !== undefined) bytes.add(hex);
    if (number !== undefined) numbers.add(number);
  }
  let ofHex: Set<string> | undefined;
  const hexNumbers = () => {
    ofHex ??= new Set([...bytes].flatMap((hex) => numberKey(hex) ?? []));
    return ofHex;
  };
  return { bytes, numbers, hexNumbers, texts: new Set(values) };
}

function isIn(look: Look, value: unknown): Finding {
  if (typeof value === "boolean") return look.texts.has(String(value));
  if (typeof value === "string" && look.texts.has(value)) return true;
  const bytes = typeof value === "string" ? bytesText(value) : undefined;
  if (bytes !== undefined && look.bytes.has(bytes)) return true;
  // Two hex texts are bytes, so that only the other values are left to compare as numbers.
  if (bytes !== undefined && look.numbers.size === 0) return false;
  const number = numberKey(value);
  if (number !== undefined) {
    return look.numbers.has(number) || (bytes === undefined && look.hexNumbers().has(number));
  }
  return typeof value === "string" ? false : notOfKind("number");
}
