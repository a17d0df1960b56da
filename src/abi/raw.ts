import * as AbiParameters from "ox/AbiParameters";
import * as OxAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import { aList, reading, text } from "../options/index.ts";
import { valueNames } from "../protocol/abi-names.ts";
import type { Hex } from "../protocol/index.ts";
import type { AbiParameter } from "./abi-type.ts";
import { arrayOf, fixedBytesSize, numberType, pathOf, withPlaces } from "./abi-type.ts";

/** A value that does not fit its type: the data is from another function, or the contract does not match its ABI. */
export class Misfit extends CrecError {
  constructor(path: string, type: string, value?: unknown) {
    const isHex = String(value).startsWith("0x");
    const is = value === undefined || isHex ? "" : ` is ${value}, which`;
    super(
      "RESULT_UNREADABLE",
      `${path}${is} does not fit ${type}. Check that the ABI belongs to this contract${isHex ? `: ${value}` : "."}`,
    );
  }
}

/** Types that are decoded as whole words or bytes, so that the decoder neither cuts values nor changes text. */
const WHOLE: Readonly<Record<string, string>> = { address: "bytes32", bool: "uint256", string: "bytes" };
/** Keeps a byte order mark at the beginning of the text. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * ABI-encoded values with bigints; tuples are lists, also where their parts have names. `path` is their name in errors.
 *
 * @throws CrecError `RESULT_UNREADABLE` when the data does not match these types, with the path of the wrong value.
 */
export function decodeRaw(parameters: readonly AbiParameter[], data: Hex, path: string): unknown[] {
  if (parameters.length === 0) return [];
  if (describesTooMuch(parameters, data)) {
    throw new CrecError(
      "RESULT_UNREADABLE",
      "The data describes more than twice as much as it holds: parts of it overlap. Check its source.",
    );
  }
  const values = decodeWhole(parameters, data);
  return parameters.map((parameter, index) =>
    fitting(parameter, values[index], pathOf(path, parameter, index)),
  );
}

function decodeWhole(parameters: readonly AbiParameter[], data: Hex): readonly unknown[] {
  try {
    return AbiParameters.decode(parameters.map(whole), data);
  } catch (cause) {
    const types = parameters.map(({ type }) => type).join(", ");
    throw new CrecError("RESULT_UNREADABLE", `The data is not ABI-encoded (${types}). Check its source.`, {
      cause,
    });
  }
}

/** Without names: with a name such as `__proto__`, or a duplicate, the decoder would lose values. */
function whole({ type, components }: AbiParameter): { type: string } {
  const [, base = "", arrays = ""] = /^(\w+)((?:\[\d*\])*)$/.exec(type) ?? [];
  const number = numberType(base);
  const word = number === undefined ? base : number.min < 0n ? "int256" : "uint256";
  const read = fixedBytesSize(base) === undefined ? (WHOLE[base] ?? word) : "bytes32";
  return { type: `${read}${arrays}`, ...(components && { components: components.map(whole) }) };
}

function fitting(parameter: AbiParameter, value: unknown, path: string): unknown {
  const { type, components = [] } = parameter;
  const array = arrayOf(parameter);
  if (array !== undefined) {
    return listed(value).map((item, index) => fitting(array.item, item, `${path}[${index}]`));
  }
  if (type === "tuple") {
    const parts = listed(value);
    return components.map((part, index) => fitting(part, parts[index], pathOf(path, part, index)));
  }
  const number = numberType(type);
  if (number !== undefined) return fittingNumber(number, value, path, type);
  const size = fixedBytesSize(type);
  if (size !== undefined) return leading(size, String(value), path, type);
  switch (type) {
    case "address":
      return OxAddress.checksum(trailing(20, String(value), path, type));
    case "bool":
      if (value === 0n || value === 1n) return value === 1n;
      throw new Misfit(path, type, value);
    case "string":
      return utf8.decode(Buffer.from(String(value).slice(2), "hex"));
    default:
      return value;
  }
}

function fittingNumber(
  { min, max }: { min: bigint; max: bigint },
  value: unknown,
  path: string,
  type: string,
): unknown {
  const number = BigInt(String(value));
  if (number >= min && number <= max) return number;
  throw new Misfit(path, type, number);
}

/** The first bytes of a word, whose others are zero. */
function leading(size: number, word: string, path: string, type: string): Hex {
  const end = 2 + 2 * size;
  if (/[^0]/.test(word.slice(end))) throw new Misfit(path, type, word);
  return word.slice(0, end) as Hex;
}

/** The last bytes of a word, whose others are zero. */
function trailing(size: number, word: string, path: string, type: string): Hex {
  const start = word.length - 2 * size;
  if (/[^0]/.test(word.slice(2, start))) throw new Misfit(path, type, word);
  return `0x${word.slice(start)}`;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Decodes ABI-encoded data to plain JSON values: integers as decimal text, bytes as hex, addresses
 * checksummed, lists as lists, tuples as objects.
 *
 * @param path the name of the values in errors, such as `outputs` in `outputs.amounts[2]`
 * @throws CrecError `RESULT_UNREADABLE` when the data does not match these types, or a value does not fit its type.
 * @example
 * decodeValues([{ name: "", type: "bool" }], encodeValue("bool", "true", "flag")); // → [true]
 */
export function decodeValues(
  parameters: readonly AbiParameter[],
  data: Hex,
  path: string = "values",
): unknown[] {
  aList()(parameters, "parameters");
  text(data, "data");
  text(path, "path");
  return reading("parameters", () => plainValues(parameters, decodeRaw(parameters, data, path)));
}

/** What `decodeRaw` gives, as plain JSON values. */
export function plainValues(parameters: readonly AbiParameter[], values: readonly unknown[]): unknown[] {
  return parameters.map((parameter, index) => toPlain(parameter, values[index]));
}

/** Values as one object, by name; a value by its position that has no name, or shares it with another one. */
export function byName(parameters: readonly AbiParameter[], values: readonly unknown[]): object {
  return Object.fromEntries(valueNames(parameters).map((name, index) => [name, values[index]]));
}

function toPlain(parameter: AbiParameter, value: unknown): unknown {
  const array = arrayOf(parameter);
  if (array !== undefined) return Array.isArray(value) ? value.map((item) => toPlain(array.item, item)) : [];
  if (parameter.type === "tuple") {
    const { components = [] } = parameter;
    const parts = Array.isArray(value) ? value : [];
    return byName(components, plainValues(components, parts));
  }
  return withPlaces(parameter.type, value);
}

/** How many times its own size the data may describe: more than once where parts of it overlap. */
const MOST_TIMES = 2;
const WORD = 32;

/** The data describes too much, or ends too early: which of these is known already. */
class Ends extends Error {}

/**
 * Whether ABI-encoded data describes much more than it holds: pointers may lead to the same bytes again and again, so that
 * some hundred kB would become gigabytes. False for data that does not decode, which the decoder refuses.
 */
function describesTooMuch(parameters: readonly AbiParameter[], data: Hex): boolean {
  const reader = new Reader(data);
  try {
    reader.list(parameters, 0);
  } catch (error) {
    if (!(error instanceof Ends)) throw error;
  }
  return reader.isTooMuch;
}

class Reader {
  readonly #data: Hex;
  readonly #size: number;
  #left: number;

  constructor(data: Hex) {
    this.#data = data;
    this.#size = (data.length - 2) / 2;
    this.#left = MOST_TIMES * this.#size;
  }

  get isTooMuch(): boolean {
    return this.#left < 0;
  }

  /** Values one after the other, whose pointers count from `base`. */
  list(parameters: readonly AbiParameter[], base: number): void {
    let at = base;
    for (const parameter of parameters) {
      this.#value(parameter, base, at);
      at += headSize(parameter);
    }
  }

  #value(parameter: AbiParameter, base: number, at: number): void {
    const array = arrayOf(parameter);
    const isPointed = isDynamic(parameter);
    // What a pointer leads to has at least the pointer.
    if (isPointed) this.#count(WORD);
    const start = isPointed ? base + this.#number(at) : at;
    if (array !== undefined) this.#items(array, start);
    else if (parameter.type === "tuple") this.list(parameter.components ?? [], start);
    else this.#count(isPointed ? this.#number(start) : WORD);
  }

  #items({ item, length }: { item: AbiParameter; length?: number }, start: number): void {
    const count = length ?? this.#number(start);
    const first = length === undefined ? start + WORD : start;
    const each = headSize(item);
    // Values without any bytes need none to be many.
    this.#count(each === 0 ? count * WORD : 0);
    if (first + count * each > this.#size) throw new Ends();
    if (!isDynamic(item)) {
      this.#count(count * each);
      return;
    }
    for (let index = 0; index < count; index += 1) this.#value(item, first, first + index * each);
  }

  #number(at: number): number {
    if (at + WORD > this.#size) throw new Ends();
    const number = Number(`0x${this.#data.slice(2 + 2 * at, 2 + 2 * (at + WORD))}`);
    if (number > this.#size) throw new Ends();
    return number;
  }

  #count(bytes: number): void {
    this.#left -= bytes;
    if (this.isTooMuch) throw new Ends();
  }
}

/** The bytes of a value where it is listed: of one of variable size, its pointer. */
function headSize(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return WORD;
  const array = arrayOf(parameter);
  if (array !== undefined) return (array.length ?? 0) * headSize(array.item);
  if (parameter.type !== "tuple") return WORD;
  return (parameter.components ?? []).reduce((size, part) => size + headSize(part), 0);
}

function isDynamic(parameter: AbiParameter): boolean {
  const array = arrayOf(parameter);
  if (array !== undefined) return array.length === undefined || isDynamic(array.item);
  if (parameter.type === "tuple") return (parameter.components ?? []).some(isDynamic);
  return parameter.type === "bytes" || parameter.type === "string";
}
