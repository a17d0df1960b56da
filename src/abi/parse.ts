import { canonicalType, hasManyDimensions } from "./abi-type.ts";
import { ABI_BOUNDS, tooLarge } from "./bounds.ts";
import { readHumanReadable } from "./human-readable.ts";
import { invalid } from "./invalid.ts";
import type { Abi, AbiFunction, AbiItem, AbiParameter } from "./types.ts";

type Fields = Record<string, unknown>;

const MUTABILITIES = ["pure", "view", "nonpayable", "payable"] as const;

/**
 * Reads an ABI: JSON or its text, a compiler's artifact with an `abi` field, an explorer's answer with the ABI in
 * `result`, the source of Solidity interfaces, or human-readable text such as
 * `event Transfer(address indexed from, address indexed to, uint256 value)`, one item a line.
 * Constructor, fallback and receive are left out: they can neither be called nor watched.
 *
 * @throws ArgumentError `ABI_INVALID`, naming the line or item.
 * @example
 * const abi = parseAbi("event Transfer(address indexed from, address indexed to, uint256 value)");
 * listEvents(abi)[0]?.signature; // → "Transfer(address,address,uint256)"
 */
export function parseAbi(input: string | readonly unknown[] | object): Abi {
  const source = typeof input === "string" ? parseText(input) : input;
  const wrapped = isFields(source) ? unwrapped(source) : source;
  const items = typeof wrapped === "string" ? parseText(wrapped) : wrapped;
  if (!Array.isArray(items)) {
    throw invalid("abi", "An ABI is a list of items; paste the list, or the artifact with the field `abi`.");
  }
  if (items.length > ABI_BOUNDS.items)
    throw tooLarge("abi", `The ABI has ${items.length} items; the limit is ${ABI_BOUNDS.items}.`);
  const isText = items.length > 0 && items.every((item) => typeof item === "string");
  return (isText ? readHumanReadable(items.join("\n")) : items).flatMap((item: unknown, index) => {
    const path = `abi[${index}]`;
    if (!isFields(item)) throw invalid(path, `Item ${index} of the ABI is not an object.`);
    return readItem(item, path);
  });
}

/** An artifact has its ABI as `abi`, an explorer's answer as `result`: a list or its text. */
function unwrapped({ abi, result, status }: Fields): unknown {
  if (abi !== undefined) return abi;
  if (status !== "0") return result;
  const said = typeof result === "string" ? `: "${result.slice(0, 80)}"` : "";
  throw invalid("abi", `The explorer answered without an ABI${said}. Try again, or paste the ABI itself.`);
}

function parseText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") throw invalid("abi", "The ABI is empty; paste it as JSON or as one item a line.");
  if (!/^[[{]/.test(trimmed)) return readHumanReadable(text);
  const { jsonLength } = ABI_BOUNDS;
  if (trimmed.length > jsonLength)
    throw tooLarge("abi", `The ABI has ${trimmed.length} characters; the limit is ${jsonLength}.`);
  try {
    return JSON.parse(trimmed);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "";
    throw invalid("abi", `The ABI begins like JSON but is not valid JSON: ${problem}.`, cause);
  }
}

function readItem(item: Fields, path: string): AbiItem[] {
  const type = item.type ?? "function";
  if (type !== "function" && type !== "event" && type !== "error") {
    if (typeof type === "string") return [];
    throw invalid(`${path}.type`, `${path}.type must be text.`);
  }
  const { name } = item;
  if (typeof name !== "string" || name === "") {
    throw invalid(`${path}.name`, `${path} is a ${type} without a name.`);
  }
  const inputs = readParameters(item.inputs ?? [], `${path}.inputs`, type === "event");
  switch (type) {
    case "event":
      return [{ type, name, anonymous: item.anonymous === true, inputs }];
    case "error":
      return [{ type, name, inputs }];
    case "function": {
      const outputs = readParameters(item.outputs ?? [], `${path}.outputs`, false);
      return [{ type, name, inputs, outputs, stateMutability: mutability(item) }];
    }
  }
}

/** Very old compilers wrote `constant` and `payable` instead. */
function mutability(item: Fields): AbiFunction["stateMutability"] {
  const known = MUTABILITIES.find((word) => word === item.stateMutability);
  return known ?? (item.constant === true ? "view" : item.payable === true ? "payable" : "nonpayable");
}

/** `count` has the number of parameters of the item so far. */
function readParameters(
  list: unknown,
  path: string,
  ofEvent: boolean,
  { depth, count }: { depth: number; count: { parameters: number } } = { depth: 0, count: { parameters: 0 } },
): AbiParameter[] {
  if (!Array.isArray(list)) throw invalid(path, `${path} must be a list.`);
  if (depth > ABI_BOUNDS.depth) throw invalid(path, `${path} is nested too deeply.`);
  count.parameters += list.length;
  if (count.parameters > ABI_BOUNDS.parameters)
    throw tooLarge(path, `${path} has more than ${ABI_BOUNDS.parameters} parameters.`);
  return list.map((parameter: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isFields(parameter)) throw invalid(at, `${at} is not an object.`);
    const { name, internalType, indexed, components } = parameter;
    const given = typeof parameter.type === "string" ? parameter.type : undefined;
    if (given !== undefined && hasManyDimensions(given))
      throw tooLarge(
        `${at}.type`,
        `${at}.type is an array with more than ${ABI_BOUNDS.dimensions} dimensions.`,
      );
    const type = given && canonicalType(given);
    if (type === undefined || type === "") {
      const shown = (JSON.stringify(parameter.type) ?? "missing").slice(0, 80);
      throw invalid(`${at}.type`, `${at}.type is ${shown}, which is not an ABI type.`);
    }
    return {
      name: typeof name === "string" ? name : "",
      type,
      ...(typeof internalType === "string" ? { internalType } : {}),
      ...(ofEvent && depth === 0 ? { indexed: indexed === true } : {}),
      ...(type.startsWith("tuple")
        ? {
            components: readParameters(components ?? [], `${at}.components`, ofEvent, {
              depth: depth + 1,
              count,
            }),
          }
        : {}),
    };
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
