import * as Hash from "ox/Hash";
import * as HexText from "ox/Hex";
import type { AbiInput, Hex } from "../protocol/index.ts";
import { ABI_BOUNDS } from "./bounds.ts";

/** A parameter with canonical type (`uint256`, never `uint`); `name` is empty where it has none. */
export type AbiParameter = AbiInput;

/** A function. */
export type AbiFunction = {
  type: "function";
  name: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  stateMutability: "pure" | "view" | "nonpayable" | "payable";
};

/** An event. */
export type AbiEvent = { type: "event"; name: string; anonymous: boolean; inputs: AbiParameter[] };

/** A custom error. */
export type AbiError = { type: "error"; name: string; inputs: AbiParameter[] };

/** An item that can be called, watched or decoded. Constructors and the like are left out. */
export type AbiItem = AbiFunction | AbiEvent | AbiError;

/** The interface of a contract, as `parseAbi` reads it. */
export type Abi = AbiItem[];

/** An item of an ABI that cannot be used, or what an interface inherits from and is not in the text. */
export type UnusableItem = {
  /** Its name; empty where it has none. */
  name: string;
  /** A sentence that says why. */
  message: string;
};

/** What of an ABI can be used, and what cannot. */
export type ReadAbi = { abi: Abi; unusable: UnusableItem[] };

/** One of several ABIs. `name` is that of its contract or constant; empty where it has none. */
export type NamedAbi = ReadAbi & { name: string };

const BASE_TYPE =
  /^(?:(u?int)(\d*)|address|bool|string|bytes(\d*)|tuple|function|(u?fixed)(?:(\d+)x(\d+))?)$/;
/** Of a fixed-point type. */
const MOST_PLACES = 80;
const ARRAY_SUFFIX = /^(.*)\[(\d*)\]$/;

/** Whether an array has more dimensions than any contract's. Its type is not read: each dimension would take a step. */
export function hasManyDimensions(type: string): boolean {
  return type.split("[").length - 1 > ABI_BOUNDS.dimensions;
}

/** The type of an array's items and its fixed length, or undefined for any other type. */
export function arrayOf<P extends { type: string }>(parameter: P): { item: P; length?: number } | undefined {
  if (hasManyDimensions(parameter.type)) return undefined;
  const match = ARRAY_SUFFIX.exec(parameter.type);
  if (match === null) return undefined;
  const [, type = "", length = ""] = match;
  const item = { ...parameter, type };
  return length === "" ? { item } : { item, length: Number(length) };
}

/** An integer type's sign and size in bits. */
export function integerType(type: string): { signed: boolean; bits: number } | undefined {
  const match = /^(u?)int(\d+)$/.exec(type);
  return match === null ? undefined : { signed: match[1] === "", bits: Number(match[2]) };
}

/** A number as it is stored: an integer, or one with so many decimal places that counts the smallest of them. */
export function numberType(type: string): { min: bigint; max: bigint; places: number } | undefined {
  const integer = integerType(type);
  if (integer !== undefined) return { ...rangeOf(integer), places: 0 };
  const [, sign, bits, places] = /^(u?)fixed(\d+)x(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return undefined;
  return { ...rangeOf({ signed: sign === "", bits: Number(bits) }), places: Number(places) };
}

/** A number of such a type with all its decimal places: 150 of `fixed8x2` is `1.50`. */
export function numberText(stored: bigint, places: number): string {
  if (places === 0) return String(stored);
  const digits = String(stored < 0n ? -stored : stored).padStart(places + 1, "0");
  return `${stored < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** A stored number of this type with all its decimal places, as text; a value of any other type as it is. */
export function withPlaces(type: string, value: unknown): unknown {
  const number = numberType(type);
  return number === undefined ? value : numberText(BigInt(String(value)), number.places);
}

/** The smallest and the largest value of an integer type. */
export function rangeOf({ signed, bits }: { signed: boolean; bits: number }): { min: bigint; max: bigint } {
  const half = 2n ** BigInt(bits - 1);
  return signed ? { min: -half, max: half - 1n } : { min: 0n, max: 2n * half - 1n };
}

/** The path of a parameter's value in errors: by its name, or by its position where it has none. */
export function pathOf(path: string, { name }: { name: string }, index: number): string {
  return name === "" ? `${path}[${index}]` : `${path}.${name}`;
}

/** The size of a fixed bytes type, `bytes32` say. A `function` is an address and a selector. */
export function fixedBytesSize(type: string): number | undefined {
  if (type === "function") return 24;
  const match = /^bytes(\d+)$/.exec(type);
  return match === null ? undefined : Number(match[1]);
}

/** The type as signatures write it: `uint` becomes `uint256`; undefined for an unknown type, and for too many dimensions. */
export function canonicalType(type: string): string | undefined {
  if (hasManyDimensions(type)) return undefined;
  const [, base = "", suffix = ""] = /^([a-z0-9]+)((?:\[\d*\])*)$/.exec(type) ?? [];
  const match = BASE_TYPE.exec(base);
  if (match === null) return undefined;
  const [, integer, bits, bytes, fixed, fixedBits, places] = match;
  if (integer !== undefined && bits === "") return `${integer}256${suffix}`;
  if (fixed !== undefined && fixedBits === undefined) return `${fixed}128x18${suffix}`;
  if (!isSize(bits) || !isSize(fixedBits) || Number(places ?? 0) > MOST_PLACES) return undefined;
  if (bytes !== undefined && bytes !== "" && !(Number(bytes) >= 1 && Number(bytes) <= 32)) return undefined;
  return `${base}${suffix}`;
}

function isSize(bits: string | undefined): boolean {
  return bits === undefined || (Number(bits) >= 8 && Number(bits) <= 256 && Number(bits) % 8 === 0);
}

/** `transfer(address,uint256)`: tuples written out, no names, no spaces. */
export function signatureOf(item: { name: string; inputs: readonly AbiParameter[] }): string {
  return `${item.name}(${item.inputs.map(typeText).join(",")})`;
}

/** A signature typed by a person in the form of `signatureOf`: without spaces, and with `uint256` for `uint`, and `fixed128x18` for `fixed`. */
export function canonicalSignature(text: string): string {
  return text
    .replace(/\s+/g, "")
    .replace(/(?<=[(,])u?int(?=[[\],)])/g, "$&256")
    .replace(/(?<=[(,])u?fixed(?=[[\],)])/g, "$&128x18");
}

function typeText({ type, components }: AbiParameter): string {
  if (!type.startsWith("tuple")) return type;
  return `(${(components ?? []).map(typeText).join(",")})${type.slice("tuple".length)}`;
}

/** keccak256 of a signature: an event's first topic. */
export function signatureHash(signature: string): Hex {
  return Hash.keccak256(HexText.fromString(signature));
}

/** The first four bytes of that hash, by which call data and revert data name a function or an error. */
export function selectorOf(item: { name: string; inputs: readonly AbiParameter[] }): Hex {
  return `0x${signatureHash(signatureOf(item)).slice(2, 10)}`;
}
