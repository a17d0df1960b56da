import { createHash } from "node:crypto";

/** Longer names are cut: most file systems take 255 bytes, and endings are to be added. */
const LONGEST = 200;
const KEPT = 120;
/** Windows has devices of these names, in every folder and with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

const escaped = (text: string) => `%${text.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}`;

/**
 * The name of a file for something that a person named, in any script, on any system. A letter beyond ASCII takes up to twelve
 * bytes; a name that gets too long ends in a digest of the whole.
 */
export function fileNameOf(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll("*", "%2A").replace(RESERVED, escaped);
  if (encoded.length <= LONGEST) return encoded;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  // Not in the middle of an escape.
  return `${encoded.slice(0, KEPT).replace(/%[^%]?$/, "")}-${digest}`;
}
