import { createHash } from "node:crypto";

/** Tells a text that was torn or changed from a whole one. Hexadecimal. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
