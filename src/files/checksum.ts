import { createHash } from "node:crypto";

/** Shows whether a text is whole, and not torn or changed. SHA-256, in hexadecimal. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
