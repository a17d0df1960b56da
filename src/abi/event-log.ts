import * as Hash from "ox/Hash";
import * as HexText from "ox/Hex";
import { CrecError } from "../errors.ts";
import { argName } from "../protocol/abi-names.ts";
import type { EventFragment, Hex } from "../protocol/index.ts";
import type { AbiParameter } from "./abi-type.ts";
import {
  arrayOf,
  fixedBytesSize,
  integerType,
  numberType,
  signatureHash,
  signatureOf,
  withPlaces,
} from "./abi-type.ts";
import { decodeRaw } from "./raw.ts";
import { encodeValues, toValues } from "./values.ts";
import { wireName } from "./wire-values.ts";

type Log = { topics: readonly string[]; data: string };

const WORD_BYTES = 32;

/**
 * The log that a contract writes for an event with these values, in order or by name.
 *
 * @throws ArgumentError as `toAbiValue`, with the path of the value.
 */
export function eventLog(
  fragment: EventFragment,
  given: readonly unknown[] | Record<string, unknown>,
  path: string,
): { topics: Hex[]; data: Hex } {
  const { inputs } = fragment;
  const values = toValues(inputs, given, path);
  const topics = fragment.anonymous ? [] : [signatureHash(signatureOf(fragment))];
  const others: AbiParameter[] = [];
  const data: unknown[] = [];
  for (const [index, input] of inputs.entries()) {
    if (input.indexed) {
      topics.push(topicOf(input, values[index]));
    } else {
      others.push(input);
      data.push(values[index]);
    }
  }
  return { topics, data: encodeValues(others, data) };
}

/** The value itself, or the hash of one that may not fit a topic. */
function topicOf(parameter: AbiParameter, value: unknown): Hex {
  const text = bytesOf(parameter, value);
  if (text !== undefined) return Hash.keccak256(text);
  const isValue = arrayOf(parameter) === undefined && parameter.type !== "tuple";
  const words = inWords(parameter, value);
  return isValue ? words : Hash.keccak256(words);
}

/** In what is hashed, everything has whole words, and nothing its length or place. */
function inWords(parameter: AbiParameter, value: unknown): Hex {
  const parts = Array.isArray(value) ? value : [];
  const array = arrayOf(parameter);
  if (array !== undefined) return HexText.concat(...parts.map((part) => inWords(array.item, part)));
  const { type, components = [] } = parameter;
  if (type === "tuple")
    return HexText.concat(...components.map((component, index) => inWords(component, parts[index])));
  const text = bytesOf(parameter, value);
  if (text === undefined) return encodeValues([parameter], [value]);
  const words = Math.ceil(HexText.size(text) / WORD_BYTES);
  return words === 0 ? text : HexText.padRight(text, words * WORD_BYTES);
}

/** Text and bytes of any length. */
function bytesOf({ type }: AbiParameter, value: unknown): Hex | undefined {
  if (type === "string") return HexText.fromString(String(value));
  return type === "bytes" ? (String(value) as Hex) : undefined;
}

/** Sizes of the integers that the workflow writes as JSON numbers. */
const NUMBER_BITS = [8, 16, 32, 64];
/** The workflow takes base64 text of these lengths for bytes. */
const BYTES_LENGTHS = [20, 32];

/**
 * The `params` of a log as the public service writes them: keys in snake_case; integers of 8, 16, 32 and 64 bits as JSON
 * numbers, all others as decimal text; bytes as hex; addresses checksummed; text that reads as base64 of 20 or 32 bytes
 * as their hex; fixed-point numbers as decimal text with all their places. An indexed integer is the decimal text of its
 * topic, without a sign; indexed bytes are the whole topic, and so is an indexed value of variable size, which is its
 * hash. Inside lists and tuples: `nestedValue`. Of values whose keys are the same, the last one is there.
 *
 * A number beyond 2^53 is a `JSON.rawJSON` value: `JSON.stringify` writes it unrounded. To read it,
 * parse the JSON text. Node.js 20 has no such values: there it is decimal text, as this library reads such a number.
 *
 * @throws CrecError `LOG_MISMATCH` when the log is not one of this event.
 */
export function logParams(fragment: EventFragment, log: Log): Record<string, unknown> {
  const topics = fragment.anonymous ? [...log.topics] : indexedTopics(fragment, log.topics);
  const indexed = fragment.inputs.filter((input) => input.indexed);
  const others = fragment.inputs.filter((input) => !input.indexed);
  if (topics.length !== indexed.length) {
    throw mismatch(fragment, `it has ${topics.length} indexed values, not ${indexed.length}`);
  }
  try {
    const values = decodeRaw(others, log.data as Hex, "params");
    return Object.fromEntries(
      fragment.inputs.map((input, index) => {
        const value = input.indexed
          ? topicValue(input, topics.shift() as Hex)
          : wireValue(input, values.shift());
        return [wireName(input.name, index), value];
      }),
    );
  } catch (cause) {
    throw mismatch(fragment, "its data does not decode", cause);
  }
}

/**
 * Whether the log's data is all that the event describes, and nothing else: written again, it is the same. What another
 * event has written may decode as well.
 *
 * @throws CrecError `RESULT_UNREADABLE` when it does not decode.
 */
export function isWholeLog(fragment: EventFragment, { data }: Log): boolean {
  const parameters = fragment.inputs.filter((input) => !input.indexed);
  const hex = data.toLowerCase() as Hex;
  const values = decodeRaw(parameters, hex, "params");
  return encodeValues(parameters, values) === hex;
}

function indexedTopics(fragment: EventFragment, topics: readonly string[]): string[] {
  const [first, ...rest] = topics;
  if (first?.toLowerCase() !== signatureHash(signatureOf(fragment))) {
    throw mismatch(fragment, "its first topic is that of another event");
  }
  return rest;
}

function topicValue(input: AbiParameter, topic: Hex): unknown {
  const isHash =
    arrayOf(input) !== undefined ||
    input.type === "tuple" ||
    input.type === "string" ||
    input.type === "bytes";
  if (isHash) return topic;
  // A topic that does not fit its type belongs to another event.
  const [value] = decodeRaw([input], topic, "params");
  if (integerType(input.type) !== undefined) return BigInt(topic).toString();
  if (numberType(input.type) !== undefined) return withPlaces(input.type, value);
  return fixedBytesSize(input.type) === undefined ? value : topic;
}

function wireValue(parameter: AbiParameter, value: unknown): unknown {
  const array = arrayOf(parameter);
  if (array !== undefined) return isBytes(array.item) ? hexOf(value) : nestedValue(parameter, value);
  if (parameter.type === "tuple") return nestedValue(parameter, value);
  if (parameter.type === "string") return hexOfBase64(String(value)) ?? value;
  const integer = integerType(parameter.type);
  if (integer === undefined) return withPlaces(parameter.type, value);
  return NUMBER_BITS.includes(integer.bits) ? unroundedNumber(value) : String(value);
}

/**
 * A value inside a list or a tuple, for which the public workflow uses the JSON of its language: all integers as numbers
 * of any size, addresses in lower case, `bytes` and `uint8[]` as base64, `bytesN` as numbers, tuples by the names of the
 * ABI.
 */
function nestedValue(parameter: AbiParameter, value: unknown): unknown {
  const { type, components = [] } = parameter;
  const array = arrayOf(parameter);
  if (array !== undefined) {
    const items = Array.isArray(value) ? value : [];
    // A list of a fixed length is not written as bytes.
    if (isBytes(array.item) && array.length === undefined) return base64Of(hexOf(items));
    return items.map((item) => nestedValue(array.item, item));
  }
  if (type === "tuple") {
    const parts = Array.isArray(value) ? value : [];
    return Object.fromEntries(
      components.map((part, index) => [part.name || argName(index), nestedValue(part, parts[index])]),
    );
  }
  if (integerType(type) !== undefined) return unroundedNumber(value);
  if (type === "address") return String(value).toLowerCase();
  if (type === "bytes") return base64Of(String(value));
  // No public source shows how the workflow writes it.
  if (type === "function") throw new Error("a function in a list or a tuple cannot be written");
  if (numberType(type) !== undefined) return withPlaces(type, value);
  return fixedBytesSize(type) === undefined ? value : [...Buffer.from(String(value).slice(2), "hex")];
}

function isBytes({ type }: AbiParameter): boolean {
  return type === "uint8";
}

function hexOf(bytes: unknown): string {
  return `0x${Buffer.from((Array.isArray(bytes) ? bytes : []).map(Number)).toString("hex")}`;
}

function base64Of(hex: string): string {
  return Buffer.from(hex.slice(2), "hex").toString("base64");
}

/** The public workflow takes text that reads as base64 of 20 or 32 bytes for an address or a hash. */
function hexOfBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64");
  const isBase64 = bytes.toString("base64") === text;
  return isBase64 && BYTES_LENGTHS.includes(bytes.length) ? `0x${bytes.toString("hex")}` : undefined;
}

/** TypeScript does not have `JSON.rawJSON` yet, nor does Node.js 20. */
const { rawJSON = String } = JSON as unknown as { rawJSON?: (text: string) => unknown };

function unroundedNumber(value: unknown): unknown {
  return Number.isSafeInteger(Number(value)) ? Number(value) : rawJSON(String(value));
}

function mismatch(fragment: EventFragment, why: string, cause?: unknown): CrecError {
  return new CrecError("LOG_MISMATCH", `The log is not a ${signatureOf(fragment)} event: ${why}.`, { cause });
}
