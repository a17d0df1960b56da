import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import * as viem from "viem";
import {
  type Abi,
  type AbiError,
  type AbiEvent,
  type AbiFunction,
  type AbiItem,
  type AbiParameter,
  decodeFunctionCall,
  decodeFunctionResult,
  decodeRevert,
  encodeFunctionCall,
  eventValues,
  listEvents,
  listFunctions,
  logParams,
  selectorOf,
  signatureOf,
} from "../../../src/abi/index.ts";
import { parseJson } from "../../../src/json.ts";
import { byName, listOf, plainOf, valuesOf } from "./values.ts";

export type Counts = { items: number; encodings: number; results: number; logs: number; reverts: number };
export type Random = { seed: number; numRuns: number };

/**
 * Compares all that the library makes of an item with what viem makes of it, for random values.
 *
 * @throws AssertionError for the first difference
 */
export function compareItem(item: AbiItem, whole: Abi, random: Random, counts: Counts): void {
  counts.items += 1;
  if (item.type === "function") compareFunction(item, whole, random, counts);
  else if (item.type === "event") compareEvent(item, whole, random, counts);
  else compareError(item, whole, random, counts);
}

function compareFunction(item: AbiFunction, whole: Abi, random: Random, counts: Counts): void {
  const [abi, functionName] = [[item], item.name];
  const signature = viem.toFunctionSignature(item);
  const listed = listFunctions(whole).find((one) => one.signature === signature);
  deepStrictEqual(listed?.selector, viem.toFunctionSelector(item));
  for (const args of drawn(item.inputs, random)) {
    const data = viem.encodeFunctionData({ abi, functionName, args });
    const named = byName(item.inputs, args);
    for (const given of [args, named, JSON.stringify(named)]) {
      deepStrictEqual(
        encodeFunctionCall({ abi: whole, function: signature, args: given as never }).data,
        data,
      );
      counts.encodings += 1;
    }
    const theirs = byName(item.inputs, viem.decodeFunctionData({ abi, data }).args ?? []);
    deepStrictEqual(decodeFunctionCall({ abi: whole, data }), {
      name: functionName,
      signature,
      args: theirs,
    });
  }
  for (const values of drawn(item.outputs, random)) {
    const data = viem.encodeAbiParameters(item.outputs, values);
    const theirs = viem.decodeFunctionResult({ abi, functionName, data });
    const [only, ...others] = item.outputs;
    const expected =
      only === undefined
        ? null
        : others.length === 0
          ? plainOf(only, theirs)
          : byName(item.outputs, listOf(item.outputs, theirs));
    deepStrictEqual(decodeFunctionResult({ abi: whole, function: signature, data }), expected);
    counts.results += 1;
  }
}

function compareEvent(event: AbiEvent, whole: Abi, random: Random, counts: Counts): void {
  const topic = viem.toEventSelector(event);
  const listed = listEvents(whole).find(({ signature }) => signature === viem.toEventSignature(event));
  deepStrictEqual(listed?.topicHash, topic);
  for (const values of drawn(event.inputs, random)) {
    const log = logOf(event, topic, values);
    const wire = parseJson(JSON.stringify(logParams(event, log))) as Record<string, unknown>;
    const decoded = event.anonymous
      ? values
      : listOf(event.inputs, viem.decodeEventLog({ abi: [event], ...log }).args);
    const expected = event.inputs.map((input, index): [string, unknown] => {
      const value = isHash(input) ? decoded[index] : plainOf(input, decoded[index]);
      return [input.name || `arg${index}`, value];
    });
    deepStrictEqual(eventValues(whole, { topic_hash: topic }, wire)?.params, Object.fromEntries(expected));
    counts.logs += 1;
  }
}

/** Of an indexed value of variable size, its hash: some hash, as viem does not encode those of lists and tuples. */
function logOf(
  event: AbiEvent,
  topic: viem.Hex,
  values: unknown[],
): { topics: [viem.Hex, ...viem.Hex[]]; data: viem.Hex } {
  const topics = event.inputs.flatMap((input, index) => {
    if (!input.indexed) return [];
    if (isHash(input)) values[index] = viem.keccak256(viem.toHex(index));
    return [isHash(input) ? (values[index] as viem.Hex) : viem.encodeAbiParameters([input], [values[index]])];
  });
  const data = viem.encodeAbiParameters(
    event.inputs.filter(({ indexed }) => !indexed),
    values.filter((_, index) => !event.inputs[index]?.indexed),
  );
  const [first = topic, ...others] = event.anonymous ? topics : [topic, ...topics];
  return { topics: [first, ...others], data };
}

function isHash({ type, indexed }: AbiParameter): boolean {
  return indexed === true && (type.endsWith("]") || /^(?:tuple|string|bytes)$/.test(type));
}

function compareError(error: AbiError, whole: Abi, random: Random, counts: Counts): void {
  const abi = [error];
  for (const args of drawn(error.inputs, random)) {
    const data = viem.encodeErrorResult({ abi, errorName: error.name, args });
    deepStrictEqual(selectorOf(error), data.slice(0, 10));
    const theirs = viem.decodeErrorResult({ abi, data }).args ?? [];
    const shown = error.inputs.map((input, index) => {
      const plain = plainOf(input, theirs[index]);
      const text = typeof plain === "string" ? plain : JSON.stringify(plain);
      return input.name === "" ? text : `${input.name}: ${text}`;
    });
    deepStrictEqual(decodeRevert({ abi: whole, data }), `${error.name}(${shown.join(", ")})`);
    counts.reverts += 1;
  }
}

function drawn(parameters: readonly AbiParameter[], random: Random): unknown[][] {
  return fc.sample(fc.tuple(...parameters.map(valuesOf)), random);
}

/** What an item is, with all that decides how it is encoded and read. */
export function textOf(item: AbiItem): string {
  const ofFunction = item.type === "function" ? ` ${item.stateMutability} ${namesOf(item.outputs)}` : "";
  const ofEvent = item.type === "event" && item.anonymous ? " anonymous" : "";
  return `${item.type} ${item.name}${namesOf(item.inputs)}${ofFunction}${ofEvent}`;
}

export function keyOf(item: AbiItem): string {
  return `${item.type} ${signatureOf(item)}`;
}

function namesOf(parameters: readonly AbiParameter[]): string {
  const all = parameters.map(
    ({ name, type, indexed, components }) =>
      `${type}${components ? namesOf(components) : ""}${indexed ? " indexed" : ""} ${name}`,
  );
  return `(${all.join(", ")})`;
}
