import type { Hex } from "../protocol/index.ts";

/** Checked before `Buffer` reads it, which takes a character for its low byte: `ı` for `1`. */
const WHOLE_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Bytes as lower-case hex. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/**
 * Whether text is the same but for the case of A to Z: beyond them other letters have the same lower case, such as
 * the Kelvin sign. What begins with `0X` is no hex, so it is the same as nothing.
 */
export function isSameText(a: string, b: string): boolean {
  if (a.startsWith("0X") || b.startsWith("0X")) return false;
  return a === b || (a.length === b.length && lowerCase(a) === lowerCase(b));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The bytes of hex text, or undefined when it has no `0x`, an odd length or another character. */
export function hexToBytes(text: string): Uint8Array | undefined {
  return WHOLE_BYTES.test(text) ? Buffer.from(text.slice(2), "hex") : undefined;
}
