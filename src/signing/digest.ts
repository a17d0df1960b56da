import { ArgumentError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";

const DIGEST = /^0x[0-9a-f]{64}$/i;

export function isDigest(digest: Hex): boolean {
  return typeof digest === "string" && DIGEST.test(digest);
}

/** @throws ArgumentError `INVALID_ARGUMENT` */
export function requireDigest(digest: Hex): void {
  if (!isDigest(digest)) throw new ArgumentError("digest", "digest must be 32 bytes as hex.");
}
