import type { Hex } from "../protocol/index.ts";

/** Checked before `Buffer` reads it, which takes a character for its low byte: `ı` for `1`. */
const WHOLE_BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/** Bytes as lower-case hex. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** The bytes of hex text, or undefined when it has no `0x`, an odd length or another character. */
export function hexToBytes(text: string): Uint8Array | undefined {
  return WHOLE_BYTES.test(text) ? Buffer.from(text.slice(2), "hex") : undefined;
}
