import type { Hex } from "../protocol/index.ts";

/** Tested before `Buffer` reads the text: it uses the low byte of a character only, and so takes `ı` for `1`. */
const WHOLE_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Bytes as lower-case hex. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/**
 * Whether two texts are equal without the case of A to Z. Only these: the Kelvin sign, for one, has the lower case of K.
 * Text with `0X` is not hex, so it equals nothing.
 */
export function isSameText(a: string, b: string): boolean {
  if (a.startsWith("0X") || b.startsWith("0X")) return false;
  return a === b || (a.length === b.length && lowerCase(a) === lowerCase(b));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The bytes of hex text. Undefined when the text has no `0x`, an odd length, or any other character. */
export function hexToBytes(text: string): Uint8Array | undefined {
  return WHOLE_BYTES.test(text) ? Buffer.from(text.slice(2), "hex") : undefined;
}
