import * as zlib from "node:zlib";

/** The CRC-32 of a text in UTF-8. Node.js 21 and the first releases of 22 do not have it. */
export const crc32: (text: string) => number = zlib.crc32 ?? crc32ByHand;

/** The polynomial of zlib, its bits from the lowest. */
const POLYNOMIAL = 0xedb88320;

export function crc32ByHand(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
