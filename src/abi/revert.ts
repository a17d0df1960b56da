import { aList, like, optional, reading } from "../options/index.ts";
import type { Abi, AbiError } from "./abi-type.ts";
import { selectorOf } from "./abi-type.ts";
import { decodeValues } from "./raw.ts";
import { bytesText } from "./values.ts";

/** The errors that every Solidity contract can revert with. */
const ERROR_STRING: AbiError = {
  type: "error",
  name: "Error",
  inputs: [{ name: "message", type: "string" }],
};
const PANIC: AbiError = { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] };

const UNEXPLAINED = "reverted without a reason";
const PANICS: Record<string, string> = {
  "0": "a generic panic",
  "1": "an assertion failed",
  "17": "arithmetic overflow or underflow",
  "18": "division or modulo by zero",
  "33": "a value is outside its enum",
  "34": "a stored byte array is not encoded correctly",
  "49": "pop from an empty array",
  "50": "array index out of bounds",
  "65": "too much memory allocated",
  "81": "call of an uninitialised function pointer",
};

/**
 * The reason of a revert as text: the message of `require`, the meaning of a panic, a custom error of the ABI with its
 * values, else the data as hex. It throws for no data.
 * @example
 * const data = `0x4e487b71${encodeValue("uint256", 18, "code").slice(2)}`;
 * decodeRevert({ data }); // → "panic 18: division or modulo by zero"
 */
export function decodeRevert(revert: { abi?: Abi; data: string }): string {
  return reading("revert", () => reasonOf(revertKind(revert, "revert")));
}

const revertKind = like<{ abi?: Abi; data: string }>({ abi: optional(aList()) });

function reasonOf({ abi = [], data }: { abi?: Abi; data: string }): string {
  const bytes = bytesText(data);
  if (bytes === undefined) return String(data);
  if (bytes === "0x") return UNEXPLAINED;
  const errors = [...abi.filter((item) => item.type === "error"), ERROR_STRING, PANIC];
  for (const error of errors) {
    if (!bytes.startsWith(selectorOf(error))) continue;
    try {
      const values = decodeValues(error.inputs, `0x${bytes.slice(10)}`);
      return describe(error, values);
    } catch {
      // Another error may have the same selector; unreadable data stays hex.
    }
  }
  return bytes;
}

function describe(error: AbiError, values: unknown[]): string {
  const selector = selectorOf(error);
  if (selector === selectorOf(ERROR_STRING))
    return String(values[0]).trim() === "" ? UNEXPLAINED : String(values[0]);
  if (selector === selectorOf(PANIC)) {
    const code = String(values[0]);
    return `panic ${code}: ${Object.hasOwn(PANICS, code) ? PANICS[code] : "unknown"}`;
  }
  const shown = error.inputs.map(({ name }, index) => {
    const value = typeof values[index] === "string" ? values[index] : JSON.stringify(values[index]);
    return name === "" ? value : `${name}: ${value}`;
  });
  return `${error.name}(${shown.join(", ")})`;
}
