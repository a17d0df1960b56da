import type { AbiParameter } from "../../../src/index.ts";
import type { Library } from "../library.ts";
import { nodeError, toCodedError } from "../shared/errors.ts";
import type { Checked } from "../shared/form-types.ts";
import { isReference } from "../shared/variables.ts";
import { fieldsOf } from "./answer.ts";

const INTEGER = /^u?int\d*$/;
/** What places there can be for parts within parts, and dimensions of an array: more than any contract has. */
const DEEPEST = 16;

/**
 * Judges a typed-in value as a message's way through the node would. What is only known at run time passes: a
 * reference is not even looked at, since this must not read variables of this machine.
 * @param question a `ValueCheck`, as it came over the network
 * @throws what is wrong with the value: INVALID_ARGUMENT and its kin
 */
export function checkValue(library: Library, question: unknown): Checked {
  const { name, value, valueType, unit, decimals, hexOnly, ...rest } = fieldsOf(question);
  const text = typeof value === "string" ? value : "";
  const path = typeof name === "string" && name !== "" ? name : "The value";
  if (isReference(text.trim())) return {};
  const parameter = parameterOf(rest);
  const given = givenAs(text, valueType, path);
  if (given === undefined) return {};
  const places = typeof decimals === "number" ? decimals : undefined;
  if (parameter.type.startsWith("bytes") && !parameter.type.endsWith("]")) {
    const bytes = hexOnly === true ? given : library.textToBytes(given, parameter, path);
    return checkedBytes(library, parameter, given, bytes, path);
  }
  const whole =
    unit === "token"
      ? library.parseTokenAmounts(given, parameter.type, places, path)
      : library.textToBytes(given, parameter, path);
  library.encodeValue(parameter, whole, path);
  if (places === undefined || !INTEGER.test(parameter.type)) return {};
  const smallest = BigInt(String(whole));
  return { smallest: String(smallest), tokens: library.fromSmallestUnit(smallest, places) };
}

/** How many bytes were typed, and what is sent for text, which fixed bytes fill up with zeros. */
function checkedBytes(
  library: Library,
  parameter: AbiParameter,
  given: unknown,
  bytes: unknown,
  path: string,
): Checked {
  const [hex] = library.decodeValues([parameter], library.encodeValue(parameter, bytes, path));
  const isText = given !== bytes;
  const count = isText ? Buffer.byteLength(String(given)) : (String(hex).length - 2) / 2;
  return { bytes: { count, ...(isText ? { hex: String(hex) } : {}) } };
}

/** Undefined where it cannot be known before a message comes. */
function givenAs(text: string, valueType: unknown, path: string): unknown {
  switch (valueType) {
    case "str":
    case "bool":
      return text;
    case "num":
      return Number(text);
    case "json":
      try {
        return JSON.parse(text);
      } catch (cause) {
        const why = toCodedError(cause).message.replace(/[.\s]+$/, "");
        throw nodeError("INVALID_ARGUMENT", `${path} is not JSON: ${why}.`, cause);
      }
    default:
      return undefined;
  }
}

function parameterOf(given: unknown, depth = 0): AbiParameter {
  const { name, type, components } = fieldsOf(given);
  if (typeof type !== "string" || depth > DEEPEST || type.split("[").length - 1 > DEEPEST) {
    throw nodeError("INVALID_ARGUMENT", "There is no such type.");
  }
  const parts = Array.isArray(components) ? components : [];
  return {
    name: typeof name === "string" ? name : "",
    type,
    ...(type.startsWith("tuple") ? { components: parts.map((part) => parameterOf(part, depth + 1)) } : {}),
  };
}
