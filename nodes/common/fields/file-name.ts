import { createHash } from "node:crypto";

/** Longer names are cut: most file systems take 255 bytes, and endings are to be added. */
const LONGEST = 200;
const KEPT = 120;
/** Windows has devices of these names, in every folder and with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

const escaped = (text: string) => `%${text.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}`;

/** Whose file systems take capital and small letters for the same, unless somebody set them up otherwise. */
const IGNORES_CASE: ReadonlySet<NodeJS.Platform> = new Set(["darwin", "win32"]);

/**
 * The name of a file for something that a person named, in any script, on any system. A letter beyond ASCII takes up to
 * twelve bytes; a name that gets too long ends in a digest of the whole, and so does one with capital letters where
 * another name could differ only in these.
 */
export function fileNameOf(name: string, platform: NodeJS.Platform = process.platform): string {
  const encoded = encodeURIComponent(name).replaceAll("*", "%2A").replace(RESERVED, escaped);
  const isLong = encoded.length > LONGEST;
  if (!isLong && !(IGNORES_CASE.has(platform) && /[A-Z]/.test(name))) return encoded;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  // Not in the middle of an escape.
  const beginning = isLong ? encoded.slice(0, KEPT).replace(/%[^%]?$/, "") : encoded;
  return `${beginning}-${digest}`;
}
