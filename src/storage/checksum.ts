import { createHash } from "node:crypto";

/** The SHA-256 of a text, in hexadecimal: differs when the text was truncated or changed. */
export function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
