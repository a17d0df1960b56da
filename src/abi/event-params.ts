import * as OxAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import { integerDigits } from "../json.ts";
import { arrayOf, fixedBytesSize, integerType, rangeOf, signatureHash, signatureOf } from "./abi-type.ts";
import { plainName } from "./amount-rule.ts";
import { parseAbi } from "./parse.ts";
import type { AbiEvent, AbiParameter } from "./types.ts";
import { bytesText } from "./values.ts";

type Fields = Record<string, unknown>;

/** An ABI is parsed once for all events that are read with it. */
const eventsByTopic = new WeakMap<readonly unknown[], Map<string, AbiEvent>>();

/**
 * The parameters of a signed contract event with the ABI's names and types: integers as decimal text,
 * bytes as hex, addresses checksummed. An event that the ABI does not have, and values that it does not name, stay as
 * they are.
 *
 * @throws ArgumentError `ABI_INVALID`; CrecError `MALFORMED_EVENT` when a value does not have its type.
 */
export function eventParams(
  abi: readonly unknown[],
  log: { topic_hash?: unknown; event_signature?: unknown },
  params: Fields,
): Fields {
  const event = findEvent(abi, log);
  return event === undefined ? params : named(event.inputs, params, "params");
}

/** A name as the wire writes it: `fundTokenId` as `fund_token_id`, `tokenID` as `token_i_d`. */
export function snakeCase(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();
}

/** The name of a parameter on the wire; one without a name has its position. */
export function wireName(name: string, index: number): string {
  return name === "" ? `arg${index}` : snakeCase(name);
}

function findEvent(
  abi: readonly unknown[],
  { topic_hash: topic, event_signature: signature }: { topic_hash?: unknown; event_signature?: unknown },
): AbiEvent | undefined {
  let events = eventsByTopic.get(abi);
  if (events === undefined) {
    events = new Map(
      parseAbi(abi)
        .filter((item) => item.type === "event")
        .map((event) => [signatureHash(signatureOf(event)), event]),
    );
    eventsByTopic.set(abi, events);
  }
  if (typeof topic === "string") return events.get(topic.toLowerCase());
  return typeof signature === "string" ? events.get(signatureHash(signature)) : undefined;
}

function named(parameters: readonly AbiParameter[], given: Fields, path: string, nested = false): Fields {
  const left = new Map(Object.entries(given));
  const entries = parameters.flatMap((parameter, index): Array<[string, unknown]> => {
    const key = findKey(left, parameter.name, index);
    if (key === undefined) return [];
    const value = left.get(key);
    left.delete(key);
    const name = parameter.name || key;
    return [[name, readValue(parameter, value, `${path}.${name}`, nested)]];
  });
  return Object.fromEntries([...left, ...entries]);
}

/** Services split `tokenID` in different ways, so underscores and case are ignored if there is no exact match. */
export function findKey(
  given: ReadonlyMap<string, unknown>,
  name: string,
  index: number,
): string | undefined {
  const exact = [name, wireName(name, index), String(index)].find((key) => given.has(key));
  if (exact !== undefined || name === "") return exact;
  return [...given.keys()].find((key) => plainName(key) === plainName(name));
}

/** `nested`: inside a list or a tuple, where bytes are tried as base64 first. */
function readValue(parameter: AbiParameter, value: unknown, path: string, nested = false): unknown {
  const { type } = parameter;
  const array = arrayOf(parameter);
  const dynamic = array !== undefined || type === "tuple" || type === "string" || type === "bytes";
  // The chain only stores the hash of an indexed value of variable size.
  if (parameter.indexed && dynamic) return value;
  if (array !== undefined) {
    const list = asList(array, value, nested) ?? throwMalformed(path, type);
    return list.map((item: unknown, index) => readValue(array.item, item, `${path}[${index}]`, true));
  }
  if (type === "tuple") return readTuple(parameter, value, path);
  const integer = integerType(type);
  if (integer !== undefined) {
    return fittingInteger(integer, readInteger(value), parameter.indexed) ?? throwMalformed(path, type);
  }
  if (type === "bytes") return anyBytes(value, nested) ?? throwMalformed(path, type);
  const size = fixedBytesSize(type);
  if (size !== undefined) {
    return fittingBytes(size, bytesText(value), parameter.indexed) ?? throwMalformed(path, type);
  }
  if (type === "bool") return readBoolean(value) ?? throwMalformed(path, type);
  if (type === "address") return readAddress(value) ?? throwMalformed(path, type);
  return typeof value === "string" ? value : throwMalformed(path, type);
}

/**
 * A tuple with the ABI's names and types, from the forms in which services write it.
 *
 * @throws CrecError `MALFORMED_EVENT` when a value does not have its type.
 */
export function readTuple({ components = [] }: AbiParameter, value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null) throw malformed(path, "tuple");
  const given = Array.isArray(value)
    ? Object.fromEntries(
        value.map((item: unknown, index) => [components[index]?.name || String(index), item]),
      )
    : (value as Fields);
  return named(components, given, path, true);
}

/** A list of the length of its type. A list of `uint8` may arrive as bytes, an empty list as null. */
function asList(
  { item, length }: { item: AbiParameter; length?: number },
  value: unknown,
  nested: boolean,
): unknown[] | undefined {
  const bytes = item.type === "uint8" && typeof value === "string" ? anyBytes(value, nested) : undefined;
  const list: unknown = bytes === undefined ? (value ?? []) : [...Buffer.from(bytes.slice(2), "hex")];
  return Array.isArray(list) && list.length === (length ?? list.length) ? list : undefined;
}

/** Bytes as hex or as base64. For text that can be both, the order decides. */
function anyBytes(value: unknown, nested: boolean): string | undefined {
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

/** Undefined for another length than the type has. A topic may arrive whole, with trailing zeros. */
function fittingBytes(size: number, hex: string | undefined, indexed = false): string | undefined {
  const end = 2 + 2 * size;
  if (hex === undefined || hex.length === end) return hex;
  const isTopic = indexed && hex.length === 66 && /^0*$/.test(hex.slice(end));
  return isTopic ? hex.slice(0, end) : undefined;
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

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : undefined;
}

function readAddress(value: unknown): string | undefined {
  const hex = bytesText(value);
  return hex?.length === 42 ? OxAddress.checksum(hex) : undefined;
}

function malformed(path: string, type: string): CrecError {
  return new CrecError(
    "MALFORMED_EVENT",
    `The event's ${path} is not of type ${type}; check that the ABI belongs to this contract.`,
  );
}

function throwMalformed(path: string, type: string): never {
  throw malformed(path, type);
}
