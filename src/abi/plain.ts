import * as AbiParameters from "ox/AbiParameters";
import { CrecError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";
import { arrayOf, integerType } from "./abi-type.ts";
import type { AbiParameter } from "./types.ts";

/**
 * Decodes ABI-encoded data to plain JSON values: integers as decimal text, bytes as hex, addresses
 * checksummed, lists as lists, tuples as objects.
 *
 * @throws CrecError `RESULT_UNREADABLE` when the data is not of these types.
 * @example
 * decodeValues([{ name: "", type: "bool" }], encodeValue("bool", "true", "flag")); // → [true]
 */
export function decodeValues(parameters: readonly AbiParameter[], data: Hex): unknown[] {
  if (parameters.length === 0) return [];
  const values = decodeRaw(parameters, data);
  return parameters.map((parameter, index) => toPlain(parameter, values[index]));
}

/** As the decoder gives them, with bigints; tuples are lists, whatever names their parts have. */
export function decodeRaw(parameters: readonly AbiParameter[], data: Hex): unknown[] {
  try {
    const values: readonly unknown[] = AbiParameters.decode(parameters.map(withoutNames), data);
    return [...values];
  } catch (cause) {
    const types = parameters.map(({ type }) => type).join(", ");
    throw new CrecError(
      "RESULT_UNREADABLE",
      `The data is not ABI-encoded (${types}). Check where it is from.`,
      {
        cause,
      },
    );
  }
}

/** A name such as `__proto__`, or one used twice, would lose values on the way. */
function withoutNames({ type, components }: AbiParameter): { type: string } {
  return components === undefined ? { type } : { type, ...{ components: components.map(withoutNames) } };
}

/** Values side by side as one object; what has no name goes by its position. */
export function byName(parameters: readonly AbiParameter[], values: readonly unknown[]): object {
  return Object.fromEntries(parameters.map(({ name }, index) => [name || String(index), values[index]]));
}

function toPlain(parameter: AbiParameter, value: unknown): unknown {
  const array = arrayOf(parameter);
  if (array !== undefined) return Array.isArray(value) ? value.map((item) => toPlain(array.item, item)) : [];
  if (parameter.type === "tuple") {
    const { components = [] } = parameter;
    const parts = Array.isArray(value) ? value : [];
    const values = components.map((part, index) => toPlain(part, parts[index]));
    return byName(components, values);
  }
  return integerType(parameter.type) === undefined ? value : String(value);
}
