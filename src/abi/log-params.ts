import { CrecError } from "../errors.ts";
import type { EventFragment, Hex } from "../protocol/index.ts";
import { arrayOf, integerType, signatureHash, signatureOf } from "./abi-type.ts";
import { wireName } from "./event-params.ts";
import { decodeRaw } from "./raw.ts";
import type { AbiParameter } from "./types.ts";

type Log = { topics: readonly string[]; data: string };

/**
 * The `params` of a log as the service writes them: keys in snake_case; indexed integers and all above
 * 64 bits as decimal text, the others as JSON numbers; bytes as hex; addresses checksummed; an indexed
 * value of variable size as its topic hash; lists and tuples nested.
 *
 * A number beyond 2^53 is a `JSON.rawJSON` value: `JSON.stringify` writes it unrounded. It is made to be
 * stringified, not to be read; parse the text again to look at it. Node.js 20 has no such values: there it is decimal
 * text, which is also what this library reads such a number as.
 *
 * @throws CrecError `LOG_MISMATCH` when the log is not one of this event.
 */
export function logParams(fragment: EventFragment, log: Log): Record<string, unknown> {
  const topics = fragment.anonymous ? [...log.topics] : indexedTopics(fragment, log.topics);
  const indexed = fragment.inputs.filter((input) => input.indexed);
  const others = fragment.inputs.filter((input) => !input.indexed);
  if (topics.length !== indexed.length) {
    throw mismatch(fragment, `it has ${topics.length} indexed values instead of ${indexed.length}`);
  }
  try {
    const values = others.length === 0 ? [] : decodeRaw(others, log.data as Hex, "params");
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

function indexedTopics(fragment: EventFragment, topics: readonly string[]): string[] {
  const [first, ...rest] = topics;
  if (first?.toLowerCase() !== signatureHash(signatureOf(fragment))) {
    throw mismatch(fragment, "its first topic is another");
  }
  return rest;
}

function topicValue(input: AbiParameter, topic: Hex): unknown {
  const dynamic =
    arrayOf(input) !== undefined ||
    input.type === "tuple" ||
    input.type === "string" ||
    input.type === "bytes";
  if (dynamic) return topic;
  const [value] = decodeRaw([input], topic, "params");
  return integerType(input.type) === undefined ? value : String(value);
}

function wireValue(parameter: AbiParameter, value: unknown): unknown {
  const array = arrayOf(parameter);
  if (array !== undefined) {
    return Array.isArray(value) ? value.map((item) => wireValue(array.item, item)) : [];
  }
  if (parameter.type === "tuple") {
    const parts = Array.isArray(value) ? value : [];
    return Object.fromEntries(
      (parameter.components ?? []).map((part, index) => [
        wireName(part.name, index),
        wireValue(part, parts[index]),
      ]),
    );
  }
  const integer = integerType(parameter.type);
  if (integer === undefined) return value;
  return integer.bits > 64 ? String(value) : unroundedNumber(value);
}

/** The library types do not know `JSON.rawJSON` yet, and Node.js 20 does not have it. */
const { rawJSON = String } = JSON as unknown as { rawJSON?: (text: string) => unknown };

function unroundedNumber(value: unknown): unknown {
  return Number.isSafeInteger(Number(value)) ? Number(value) : rawJSON(String(value));
}

function mismatch(fragment: EventFragment, why: string, cause?: unknown): CrecError {
  return new CrecError("LOG_MISMATCH", `The log is not one of ${signatureOf(fragment)}: ${why}.`, { cause });
}
