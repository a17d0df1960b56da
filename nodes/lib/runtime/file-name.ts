import { createHash } from "node:crypto";

/** Longer names are cut: most file systems take 255 bytes, and endings are to be added. */
const LONGEST = 200;
const KEPT = 120;

/**
 * The name of a file for something that a person named, in any script. A letter beyond ASCII takes up to twelve
 * bytes; a name that gets too long ends in a digest of the whole.
 */
export function fileNameOf(name: string): string {
  const encoded = encodeURIComponent(name);
  if (encoded.length <= LONGEST) return encoded;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  // Not in the middle of an escape.
  return `${encoded.slice(0, KEPT).replace(/%[^%]?$/, "")}-${digest}`;
}
