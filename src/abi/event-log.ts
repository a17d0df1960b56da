import * as Hash from "ox/Hash";
import * as HexText from "ox/Hex";
import type { EventFragment, Hex } from "../protocol/index.ts";
import { arrayOf, signatureHash, signatureOf } from "./abi-type.ts";
import type { AbiParameter } from "./types.ts";
import { encodeValues, toValues } from "./values.ts";

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
