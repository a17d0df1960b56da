import { ArgumentError } from "../errors.ts";
import { reading, text as textKind } from "../options/index.ts";
import { valueNames } from "../protocol/abi-names.ts";
import type { AbiParameter } from "./abi-type.ts";
import { arrayOf, fixedBytesSize, pathOf } from "./abi-type.ts";
import { fromJsonText } from "./values.ts";

/** Text that begins so is hex, or a mistake in hex: never text. */
const HEX = /^\s*0x/i;
const DIGITS = /^[0-9a-f]+$/i;
/** Text of whole bytes as hex digits, as long as an address or longer, is hex whose prefix was forgotten. */
const LONG_HEX = /^(?:[0-9a-f]{2}){20,}$/i;

/**
 * A value of a parameter, with text in place of `bytes` or `bytesN` replaced by its UTF-8 bytes, in lists and tuples
 * too. As in Solidity, text for `bytesN` is filled up with zeros at its end. Text that begins with `0x` is hex, and
 * bytes of any other form stay as they are: the encoder checks them. To send text that begins with `0x`, give its bytes.
 *
 * The encoder itself takes no text for bytes, so that forgotten hex prefixes are found. The nodes call this first.
 *
 * @param type an ABI type such as `bytes32`, or a parameter with components
 * @param path names the value in the error
 * @throws {ArgumentError} `INVALID_ARGUMENT` with the path of text that is empty, too long, or clearly hex without `0x`.
 * @example
 * textToBytes("hello", "bytes8", "args.name"); // → "0x68656c6c6f000000"
 */
export function textToBytes(value: unknown, type: string | AbiParameter, path: string): unknown {
  textKind(path, "path");
  return reading("type", () => converted(value, type, path));
}

function converted(value: unknown, type: string | AbiParameter, path: string): unknown {
  const parameter = typeof type === "string" ? { name: "", type } : type;
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) {
    if (!hasBytes(item)) return value;
    const list = fromJsonText(value);
    // The encoder refuses what is not a list, with a sentence of its own.
    return Array.isArray(list)
      ? list.map((entry: unknown, index) => textToBytes(entry, item, `${path}[${index}]`))
      : value;
  }
  if (parameter.type === "tuple") return hasBytes(parameter) ? inTuple(value, parameter, path) : value;
  const size = fixedBytesSize(parameter.type);
  const isBytes = size !== undefined || parameter.type === "bytes";
  if (!isBytes || typeof value !== "string" || HEX.test(value)) return value;
  return bytesOf(value, size, path);
}

function inTuple(value: unknown, { components = [] }: AbiParameter, path: string): unknown {
  const given = fromJsonText(value);
  if (Array.isArray(given)) {
    return given.map((part: unknown, index) => {
      const component = components[index];
      return component ? textToBytes(part, component, pathOf(path, component, index)) : part;
    });
  }
  if (typeof given !== "object" || given === null) return value;
  const names = valueNames(components);
  const replaced = components.flatMap((component, index) => {
    const name = names[index] ?? "";
    const part: unknown = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
    return part === undefined ? [] : [[name, textToBytes(part, component, pathOf(path, component, index))]];
  });
  return { ...given, ...Object.fromEntries(replaced) };
}

function bytesOf(text: string, size: number | undefined, path: string): string {
  if (text === "") throw new ArgumentError(path, `${path} is empty. Give text, or 0x and hex digits.`);
  // Half a character would be replaced by another one.
  if (!text.isWellFormed()) {
    throw new ArgumentError(path, `${path} must be complete text, but has half a character.`);
  }
  if (size === undefined && LONG_HEX.test(text)) {
    throw new ArgumentError(
      path,
      `${path} looks like hex without its prefix. Put 0x in front of it. If it is text, give the bytes of the text as hex.`,
    );
  }
  const bytes = Buffer.from(text, "utf8");
  const given = bytes.length;
  if (size !== undefined && given > size) {
    const isHex = DIGITS.test(text) && text.length === 2 * size;
    const advice = isHex ? "If these are hex digits, put 0x in front of them." : "Give shorter text.";
    const room = `${size} byte${size === 1 ? "" : "s"}`;
    throw new ArgumentError(path, `${path} has room for ${room}, but the text has ${given}. ${advice}`);
  }
  return `0x${bytes.toString("hex").padEnd(2 * (size ?? given), "0")}`;
}

function hasBytes(parameter: AbiParameter): boolean {
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) return hasBytes(item);
  if (parameter.type === "tuple") return (parameter.components ?? []).some(hasBytes);
  return parameter.type.startsWith("bytes");
}
