import type { Hex } from "../protocol/index.ts";
import { Rejection } from "./reasons.ts";

/** Tested before `Buffer` reads the text: it uses the low byte of a character only, and so takes `ı` for `1`. */
const WHOLE_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Bytes as lower-case hex. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/**
 * Whether two texts are equal without the case of A to Z. Only these: the Kelvin sign, for one, has the lower case of K.
 * Text with `0X` is not hex, so it equals nothing.
 */
export function isSameText(a: string, b: string): boolean {
  if (a.startsWith("0X") || b.startsWith("0X")) return false;
  return a === b || (a.length === b.length && lowerCase(a) === lowerCase(b));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The bytes of hex text. Undefined when the text has no `0x`, an odd length, or any other character. */
export function hexToBytes(text: string): Uint8Array | undefined {
  return WHOLE_BYTES.test(text) ? Buffer.from(text.slice(2), "hex") : undefined;
}

const INTEGER = /^(?:\d{1,100}|0x[0-9a-fA-F]{1,64})$/;

/**
 * The decimal digits of a whole number of 0 or more, without leading zeros. Takes `7`, `"7"`, `"07"` and `"0x7"`.
 * Undefined for anything else.
 */
export function wholeDigits(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && INTEGER.test(text) ? BigInt(text).toString() : undefined;
}

/** A JSON object of unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function objectOrEmpty(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** Whether an optional field has a value: some versions of the service write null for a missing one. */
export function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A copy of JSON, so that a caller may change it. */
export function copyOf<T>(json: T): T;
export function copyOf(json: unknown): unknown {
  if (Array.isArray(json)) return json.map((item) => copyOf(item));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, copyOf(value)]));
}

/** @throws {Rejection} `malformed_event`, with `name` in its sentence. */
export function object(value: unknown, name: string): Fields {
  if (!isObject(value)) throw new Rejection("malformed_event", `${name} is not an object`);
  return value;
}

/** @throws {Rejection} `malformed_event` */
export function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Rejection("malformed_event", `${name} is not text`);
  return value;
}

/**
 * Ids are compared as numbers: decimal digits without leading zeros.
 * @throws {Rejection} `malformed_event`
 */
export function integer(value: unknown, name: string): string {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== "string" || !/^\d+$/.test(digits)) {
    throw new Rejection("malformed_event", `${name} is not an integer`);
  }
  return digits.replace(/^0+(?=\d)/, "");
}
