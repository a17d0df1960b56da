import * as AbiParameters from "ox/AbiParameters";
import { ArgumentError } from "../errors.ts";
import { parseJson } from "../json.ts";
import { anyText, either, isText, like, reading, text as textKind } from "../options/index.ts";
import { repeatedNames, valueNames } from "../protocol/abi-names.ts";
import type { Hex } from "../protocol/index.ts";
import type { AbiParameter } from "./abi-type.ts";
import { arrayOf, canonicalType, fixedBytesSize, numberText, numberType, pathOf } from "./abi-type.ts";
import { checksumAddress } from "./address.ts";
import { inSmallestPlace } from "./units.ts";

/** Longer than a uint256, and short enough to be read quickly. */
const MAX_INTEGER_TEXT = 300;
const LONGEST_TYPE = 60;
const DECIMAL = /^-?\d+$/;
const HEX_INTEGER = /^0x[0-9a-f]+$/i;
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

/**
 * One value, ABI-encoded.
 *
 * @throws ArgumentError as `toAbiValue`.
 * @example
 * encodeValue("uint8[]", "[1, 2]", "levels"); // → "0x…02"
 */
export function encodeValue(type: string | AbiParameter, value: unknown, path: string): Hex {
  textKind(path, "path");
  typeKind(type, "type");
  const parameter = typeof type === "string" ? { name: "", type: knownType(type, path) } : type;
  return reading(path, () => encodeValues([parameter], [toAbiValue(parameter, value, path)]));
}

const typeKind = either(isText, textKind, like<AbiParameter>({ type: anyText() }));

function knownType(text: string, path: string): string {
  const type = canonicalType(text);
  if (type !== undefined && !type.startsWith("tuple")) return type;
  throw invalid(
    path,
    `cannot be encoded as ${shown(text)}: that is not an ABI type, or needs its components; check the name of the type`,
  );
}

/** A type may be any text. */
function shown(type: string): string {
  return type.length > LONGEST_TYPE ? `${type.slice(0, LONGEST_TYPE)}…` : type;
}

/** Encodes values that `toAbiValue` has checked. */
export function encodeValues(parameters: readonly AbiParameter[], values: readonly unknown[]): Hex {
  return AbiParameters.encode(parameters.map(encodable), values as never);
}

/** The encoder does not know fixed-point numbers and functions, which are encoded as integers and bytes. */
function encodable(parameter: AbiParameter): AbiParameter {
  const { type, components } = parameter;
  const known = type.replace(/^(u?)fixed(\d+)x\d+/, "$1int$2").replace(/^function/, "bytes24");
  if (known === type && components === undefined) return parameter;
  return { ...parameter, type: known, ...(components && { components: components.map(encodable) }) };
}

/**
 * Checks a value of a caller and converts it to the form of the encoder.
 * Integers: safe number, bigint, decimal or `0x` text. Booleans: also as text. Bytes: `0x` text, bytes,
 * list of numbers. Tuples: object or list. Lists, tuples: also as JSON text.
 *
 * @throws ArgumentError `INVALID_ARGUMENT`, `INVALID_ADDRESS` or `INTEGER_OUT_OF_RANGE`, with the path of
 * the value that is wrong.
 */
export function toAbiValue(parameter: AbiParameter, value: unknown, path: string): unknown {
  const { type } = parameter;
  const array = arrayOf(parameter);
  if (array !== undefined) return toList(array, value, path, type);
  if (type === "tuple") return toTuple(parameter.components ?? [], value, path);
  const number = numberType(type);
  if (number !== undefined) return toNumber(number, value, path, type);
  const size = fixedBytesSize(type);
  if (size !== undefined || type === "bytes") return toBytes(size, value, path);
  switch (type) {
    case "bool":
      return toBoolean(value, path);
    case "address":
      if (typeof value !== "string") throw invalid(path, `must be an address as text, not ${kind(value)}`);
      return checksumAddress(value, path);
    case "string":
      if (typeof value !== "string") throw invalid(path, `must be text, not ${kind(value)}`);
      // Half a character would be replaced by another one.
      if (!value.isWellFormed()) throw invalid(path, "must be complete text, but has half a character");
      return value;
    default:
      throw invalid(
        path,
        `is of type ${shown(type)}, which cannot be encoded here; give the call data instead`,
      );
  }
}

function toList(
  { item, length }: { item: AbiParameter; length?: number },
  value: unknown,
  path: string,
  type: string,
): unknown[] {
  const list = fromJsonText(value);
  if (!Array.isArray(list)) throw invalid(path, `must be a list for ${type}, not ${kind(value)}`);
  if (length !== undefined && list.length !== length) {
    throw invalid(path, `must have ${counted(length, "item")} for ${type}, but has ${list.length}`);
  }
  return Array.from(list, (entry: unknown, index) => toAbiValue(item, entry, `${path}[${index}]`));
}

function toTuple(components: readonly AbiParameter[], value: unknown, path: string): unknown {
  const given = fromJsonText(value);
  if (Array.isArray(given) || isRecord(given)) {
    return toValues(components, given, path);
  }
  throw invalid(path, `must be an object or a list, not ${kind(value)}`);
}

/**
 * Several values, by name or in order.
 *
 * @throws ArgumentError as `toAbiValue`; also when one is missing or there are too many.
 */
export function toValues(
  parameters: readonly AbiParameter[],
  given: readonly unknown[] | Record<string, unknown>,
  path: string,
): unknown[] {
  if (Array.isArray(given) && given.length !== parameters.length) {
    const expected = parameters.map(({ type, name }) => `${type} ${name}`.trim()).join(", ") || "none";
    throw invalid(
      path,
      `must have ${counted(parameters.length, "value")} (${expected}), but has ${given.length}`,
    );
  }
  const names = valueNames(parameters);
  const repeated = isList(given) ? [] : [...repeatedNames(parameters)];
  const refused = repeated.find((name) => Object.hasOwn(given, name));
  if (refused !== undefined)
    throw invalid(`${path}.${refused}`, "is the name of several values; give them in order");
  return parameters.map((parameter, index) => {
    const at = pathOf(path, parameter, index);
    const value = isList(given) ? given[index] : ownValue(given, names[index] ?? "");
    if (value === undefined) throw invalid(at, `is missing; give a value of type ${parameter.type}`);
    return toAbiValue(parameter, value, at);
  });
}

function toNumber(
  { min, max, places }: { min: bigint; max: bigint; places: number },
  value: unknown,
  path: string,
  type: string,
): bigint {
  const stored = places === 0 ? readInteger(value, path) : readFraction(value, places, path);
  if (stored !== undefined && stored >= min && stored <= max) return stored;
  const [lowest, highest, given] = [min, max, stored].map((one) =>
    one === undefined ? "" : numberText(one, places),
  );
  const butIs = given === "" || String(given).length > 100 ? "" : `, but is ${given}`;
  throw new ArgumentError(path, `${path} must fit ${type} (${lowest} to ${highest})${butIs}.`, {
    code: "INTEGER_OUT_OF_RANGE",
  });
}

/** A decimal number in the smallest place of its type. */
function readFraction(value: unknown, places: number, path: string): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw invalid(path, "is a number that may be rounded; give it as text");
  }
  return BigInt(inSmallestPlace(String(value), places, path));
}

/** Undefined for text that is too long for any type. */
function readInteger(value: unknown, path: string): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return BigInt(value);
    throw invalid(
      path,
      Number.isInteger(value)
        ? "is a number beyond 2^53, which may already be rounded; give it as text"
        : Number.isFinite(value)
          ? "must be a whole number"
          : `must be a whole number, but ${value} is not a number`,
    );
  }
  if (typeof value === "string") {
    const text = value.trim();
    if (DECIMAL.test(text) || HEX_INTEGER.test(text)) {
      return text.length > MAX_INTEGER_TEXT ? undefined : BigInt(text);
    }
    throw invalid(path, "must be a whole number, as decimal digits or 0x and hex digits");
  }
  throw invalid(path, `must be a whole number, not ${kind(value)}`);
}

function toBoolean(value: unknown, path: string): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (word === "true") return true;
  if (word === "false") return false;
  throw invalid(path, "must be true or false");
}

function toBytes(size: number | undefined, value: unknown, path: string): Hex {
  const hex = bytesText(typeof value === "string" ? value.trim() : value);
  if (hex === undefined) {
    throw invalid(
      path,
      "must be bytes: 0x and an even number of hex digits, or a list of numbers from 0 to 255",
    );
  }
  const given = (hex.length - 2) / 2;
  if (size !== undefined && given !== size)
    throw invalid(path, `must have ${counted(size, "byte")}, but has ${given}`);
  return hex;
}

/** Bytes of any form as hex, also a Buffer that was converted to JSON; undefined for other values. */
export function bytesText(value: unknown): Hex | undefined {
  if (typeof value === "string") return HEX_BYTES.test(value) ? (value.toLowerCase() as Hex) : undefined;
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  const list = isRecord(value) && value.type === "Buffer" ? value.data : value;
  if (!Array.isArray(list)) return undefined;
  const isByte = (byte: unknown): byte is number =>
    typeof byte === "number" && Number.isInteger(byte) && byte >= 0 && byte <= 255;
  return list.every(isByte) ? `0x${Buffer.from(list).toString("hex")}` : undefined;
}

/** Lists and tuples may come as JSON text. */
export function fromJsonText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function ownValue(given: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

function kind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return value === "" ? "empty text" : "text";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}

function invalid(path: string, problem: string): ArgumentError {
  return new ArgumentError(path, `${path} ${problem}.`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
