import * as AbiParameters from "ox/AbiParameters";
import * as OxAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";
import { arrayOf, fixedBytesSize, numberType, pathOf } from "./abi-type.ts";
import { describesTooMuch } from "./decoded-size.ts";
import type { AbiParameter } from "./types.ts";

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
