import { ArgumentError, CrecError } from "../errors.ts";
import { parseJson } from "../json.ts";
import { aList, like, optional, reading, text as textKind } from "../options/index.ts";
import { valueNames } from "../protocol/abi-names.ts";
import type { Hex } from "../protocol/index.ts";
import type { Abi, AbiFunction, AbiParameter } from "./abi-type.ts";
import { canonicalSignature, selectorOf, signatureOf } from "./abi-type.ts";
import { chooseReading, exchange, grouped, missingHint, type Reading } from "./list.ts";
import { byName, decodeRaw, Misfit, plainValues } from "./raw.ts";
import { bytesText, encodeValues, toValues } from "./values.ts";

/** A call of a function, by the ABI of its contract. */
export type FunctionCall = {
  /** The contract's ABI. */
  abi: Abi;
  /** Name, or signature where several functions share the name: `transfer(address,uint256)`. */
  function: string;
  /** Values in order or by name; also as JSON text. Left out for a function without parameters. */
  args?: readonly unknown[] | Record<string, unknown> | string | undefined;
  /**
   * The name of the values in errors.
   * @default "args"
   */
  path?: string | undefined;
};

/**
 * The call data of a function.
 *
 * @throws ArgumentError `FUNCTION_NOT_IN_ABI`; `INVALID_ARGUMENT`, `INVALID_ADDRESS` or
 * `INTEGER_OUT_OF_RANGE` with the path of the value, such as `args.amounts[2]`. CrecError `ABI_AMBIGUOUS` when the ABI has
 * the function several times, and the names of the values mean different calls.
 * @example
 * const abi = parseAbi("function transfer(address to, uint256 value) returns (bool)");
 * const args = { to: "0x00000000000000000000000000000000deadbeef", value: "1000000000000000000" };
 * encodeFunctionCall({ abi, function: "transfer", args }).data; // → "0xa9059cbb…"
 */
export function encodeFunctionCall(call: FunctionCall): { data: Hex; signature: string } {
  return reading("call", () => encoded(callKind(call, "call")));
}

/** A name that is not text is not in the ABI. */
const callKind = like<FunctionCall>({ abi: aList(), path: optional(textKind) });
const dataKind = like<{ abi: Abi; data: string }>({ abi: aList() });

function encoded(call: FunctionCall): { data: Hex; signature: string } {
  const path = call.path ?? "args";
  const args = readArgs(call.args, path);
  return chooseReading(findFunctions(call.abi, call.function, args), {
    read: (item) => {
      const values = encodeValues(item.inputs, toValues(item.inputs, args, path));
      const data = `${selectorOf(item)}${values.slice(2)}` as Hex;
      return { value: { data, signature: signatureOf(item) }, isExact: () => true };
    },
    same: (one, other) => one.data === other.data,
    what: "call",
  });
}

/**
 * The function that call data calls, and its values by name as plain JSON. Undefined when the ABI does not have the
 * function, or the data does not match it.
 * @example
 * const { data } = encodeFunctionCall({ abi, function: "increment" });
 * decodeFunctionCall({ abi, data }); // → { name: "increment", signature: "increment()", args: {} }
 */
export function decodeFunctionCall(call: {
  abi: Abi;
  data: string;
}): { name: string; signature: string; args: object } | undefined {
  return reading("call", () => decodedCall(dataKind(call, "call")));
}

function decodedCall(call: {
  abi: Abi;
  data: string;
}): { name: string; signature: string; args: object } | undefined {
  const data = bytesText(call.data) ?? "0x";
  const items = functionsOf(call.abi).filter((one) => selectorOf(one) === data.slice(0, 10));
  if (items.length === 0) return undefined;
  try {
    const { item, values } = chooseReading(items, {
      read: (one) => readWords(one, one.inputs, `0x${data.slice(10)}`, "values"),
      same: areAlike,
      what: "call",
    });
    return { name: item.name, signature: signatureOf(item), args: byName(item.inputs, values) };
  } catch {
    return undefined;
  }
}

/**
 * What a function returned, as plain JSON: one output gives the value itself, several an object by
 * name (by position where unnamed), none gives null. Integers are decimal text.
 *
 * @throws ArgumentError `FUNCTION_NOT_IN_ABI`; CrecError `RESULT_UNREADABLE` when the data does not match the function's
 * outputs, or a value does not fit its type: `outputs.amounts[2]`; `ABI_AMBIGUOUS` when the ABI has the function several
 * times, with outputs that read the data differently.
 * @example
 * const abi = parseAbi("function totalSupply() view returns (uint256)");
 * const data = encodeValue("uint256", "12345678901234567890", "value");
 * decodeFunctionResult({ abi, function: "totalSupply", data }); // → "12345678901234567890"
 */
export function decodeFunctionResult(call: { abi: Abi; function: string; data: string }): unknown {
  dataKind(call, "call");
  return reading("call", () => resultOf(call));
}

function resultOf(call: { abi: Abi; function: string; data: string }): unknown {
  const data = bytesText(call.data);
  const { item, values } = chooseReading(findFunctions(call.abi, call.function), {
    read: (one) => readResult(one, data),
    same: areAlike,
    what: "result",
  });
  const { outputs } = item;
  if (outputs.length === 0) return null;
  return outputs.length === 1 ? values[0] : byName(outputs, values);
}

/** The values of words, by the types of an item. */
type Words = { item: AbiFunction; parameters: readonly AbiParameter[]; raw: unknown[]; values: unknown[] };

function readWords(
  item: AbiFunction,
  parameters: readonly AbiParameter[],
  data: Hex,
  path: string,
): Reading<Words> {
  const raw = decodeRaw(parameters, data, path);
  return {
    value: { item, parameters, raw, values: plainValues(parameters, raw) },
    isExact: () => encodeValues(parameters, raw) === data,
  };
}

function areAlike(one: Words, other: Words): boolean {
  return textOf(one.raw) === textOf(other.raw) && !exchange(one.parameters, other.parameters);
}

/** The decoder gives small integers as numbers. */
function textOf(raw: readonly unknown[]): string {
  return JSON.stringify(raw, (_, value: unknown) =>
    typeof value === "bigint" || typeof value === "number" ? String(value) : value,
  );
}

function readResult(item: AbiFunction, data: Hex | undefined): Reading<Words> {
  const { outputs } = item;
  if (data === "0x" && outputs.length > 0) {
    throw unreadable(
      `${signatureOf(item)} returned nothing. Check that a contract with this function is at that address; or it returns nothing: remove the output from the ABI.`,
    );
  }
  try {
    return readWords(item, outputs, data ?? "0x", "outputs");
  } catch (cause) {
    if (cause instanceof Misfit) throw cause;
    throw unreadable(
      `The data does not match the outputs of ${signatureOf(item)}; check them in the ABI.`,
      cause,
    );
  }
}

/**
 * The function with this name or signature, as often as the ABI has it. Where several share a name, the values decide.
 *
 * @throws ArgumentError `FUNCTION_NOT_IN_ABI`, or `INVALID_ARGUMENT` when it stays ambiguous.
 */
function findFunctions(
  abi: Abi,
  nameOrSignature: string,
  args?: readonly unknown[] | Record<string, unknown>,
): AbiFunction[] {
  const searched = canonicalSignature(String(nameOrSignature));
  const functions = functionsOf(abi);
  const named = functions.filter((item) => item.name === searched || signatureOf(item) === searched);
  const found = grouped(named, signatureOf);
  if (found.size === 0) {
    const available = [...new Set(functions.map(signatureOf))].join(", ") || "none";
    throw new ArgumentError(
      "function",
      `The ABI has no function "${searched}". It has: ${available}.${missingHint(abi, searched)}`,
      {
        code: "FUNCTION_NOT_IN_ABI",
      },
    );
  }
  const all = [...found.values()];
  const fitting =
    all.length === 1 || args === undefined
      ? all
      : all.filter((items) => items.some((item) => fits(item, args)));
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only;
  throw new ArgumentError(
    "function",
    `Several functions have the name ${searched}; give the signature of one: ${[...found.keys()].join(", ")}.`,
  );
}

function functionsOf(abi: Abi): AbiFunction[] {
  return abi.filter((item) => item.type === "function");
}

function fits({ inputs }: AbiFunction, args: readonly unknown[] | Record<string, unknown>): boolean {
  if (Array.isArray(args)) return args.length === inputs.length;
  return (
    Object.keys(args).length === inputs.length &&
    valueNames(inputs).every((name) => Object.hasOwn(args, name))
  );
}

function readArgs(args: FunctionCall["args"], path: string): readonly unknown[] | Record<string, unknown> {
  const given: unknown = typeof args === "string" ? parsedArgs(args, path) : (args ?? []);
  if (Array.isArray(given)) return given;
  if (typeof given === "object" && given !== null) return given as Record<string, unknown>;
  throw new ArgumentError(path, `${path} must be a list of values or an object by parameter name.`);
}

function parsedArgs(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ArgumentError(path, `${path} is text but not valid JSON.`, { cause });
  }
}

function unreadable(message: string, cause?: unknown): CrecError {
  return new CrecError("RESULT_UNREADABLE", message, { cause });
}

/**
 * Call data in lower case and with `0x`, which may be missing in the input.
 *
 * @throws ArgumentError `INVALID_ARGUMENT`.
 */
export function callData(text: unknown, path: string): Hex {
  const digits = typeof text === "string" ? text.trim().replace(/^0x/i, "") : undefined;
  if (digits === undefined || !/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ArgumentError(path, `${path} must be hex with an even number of digits; 0x for no data.`);
  }
  return `0x${digits.toLowerCase()}`;
}
