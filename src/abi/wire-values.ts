import * as OxAddress from "ox/Address";
import { integerDigits } from "../json.ts";
import { numberText, rangeOf } from "./abi-type.ts";
import type { AbiParameter } from "./types.ts";
import { inSmallestPlace } from "./units.ts";
import { bytesText } from "./values.ts";

// Single values of a signed event, in the forms in which services write them. Undefined where one does not have its type.

/** A list of the length of its type. A list of `uint8` may arrive as bytes, an empty list as null. */
export function asList(
  { item, length }: { item: AbiParameter; length?: number },
  value: unknown,
  nested: boolean,
): unknown[] | undefined {
  const bytes = item.type === "uint8" && typeof value === "string" ? anyBytes(value, nested) : undefined;
  const list: unknown = bytes === undefined ? (value ?? []) : [...Buffer.from(bytes.slice(2), "hex")];
  return Array.isArray(list) && list.length === (length ?? list.length) ? list : undefined;
}

/** Bytes as hex or as base64. For text that can be both, the order decides. */
export function anyBytes(value: unknown, nested: boolean): string | undefined {
  return nested ? (bytesOfBase64(value) ?? bytesText(value)) : (bytesText(value) ?? bytesOfBase64(value));
}

/** Undefined outside the type. A negative number in a topic may arrive as an unsigned number of 256 bits. */
export function fittingInteger(
  integer: { signed: boolean; bits: number },
  digits: string | undefined,
  indexed = false,
): string | undefined {
  if (digits === undefined) return undefined;
  const { min, max } = rangeOf(integer);
  const number = BigInt(digits);
  const isWord = integer.signed && indexed && number >= 2n ** 255n && number < 2n ** 256n;
  const value = isWord ? BigInt.asIntN(256, number) : number;
  return value >= min && value <= max ? String(value) : undefined;
}

/** A number of a fixed-point type with all its decimal places; undefined outside the type. */
export function fittingFraction(
  { min, max, places }: { min: bigint; max: bigint; places: number },
  value: unknown,
): string | undefined {
  if (typeof value !== "string" && !Number.isSafeInteger(value)) return undefined;
  try {
    const stored = BigInt(inSmallestPlace(String(value), places, ""));
    return stored >= min && stored <= max ? numberText(stored, places) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for another length than the type has. A topic may arrive whole, with trailing zeros. */
export function fittingBytes(size: number, hex: string | undefined, indexed = false): string | undefined {
  const end = 2 + 2 * size;
  if (hex === undefined || hex.length === end) return hex;
  const isTopic = indexed && hex.length === 66 && /^0*$/.test(hex.slice(end));
  return isTopic ? hex.slice(0, end) : undefined;
}

/** What the chain stores of an indexed value of variable size. */
export function fittingHash(value: unknown): string | undefined {
  const hex = bytesText(value);
  return hex?.length === 66 ? hex : undefined;
}

/** The public workflow writes bytes inside lists and tuples as base64. */
function bytesOfBase64(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? `0x${bytes.toString("hex")}` : undefined;
}

/** Also reads `600.000000` and `1.2e+21`, as some services write integers. */
export function readInteger(value: unknown): string | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  try {
    return integerDigits(String(value));
  } catch {
    return undefined;
  }
}

export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : undefined;
}

export function readAddress(value: unknown): string | undefined {
  const hex = bytesText(value);
  return hex?.length === 42 ? OxAddress.checksum(hex) : undefined;
}
