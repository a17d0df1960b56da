import { createHash } from "node:crypto";

/** An index of PostgreSQL takes keys up to about 2,700 bytes. */
const LONGEST = 200;
/** PostgreSQL stores no NUL; halves of characters would become equal to others. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

/** A text as a key of the engine: itself where that is possible, so that people can read it, otherwise its hash. */
export function shortName(text: string): string {
  const isPlain = text.length <= LONGEST && PLAIN.test(text) && !text.startsWith("sha256:");
  if (isPlain) return text;
  return `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}

/** What people call something, as text that each engine can store. */
export function storableLabel(text: string): string {
  return text.slice(0, LONGEST).toWellFormed().replaceAll("\0", "");
}
