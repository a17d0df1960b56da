import { aList, reading, text } from "../options/index.ts";
import { valueNames } from "../protocol/abi-names.ts";
import type { Hex } from "../protocol/index.ts";
import { arrayOf, withPlaces } from "./abi-type.ts";
import { decodeRaw } from "./raw.ts";
import type { AbiParameter } from "./types.ts";

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
