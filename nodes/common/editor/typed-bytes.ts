import type { Checked } from "../shared/form-types.ts";
import type { EditedNode } from "./api.ts";

/** Characters of hex that fit beside the words. */
const LONGEST_HEX = 22;

/** How bytes were understood: `text: 5 bytes, 0x68656c6c6f…`. */
export function bytesMeaning(node: EditedNode, { bytes }: Checked): string {
  if (!bytes) return "";
  const { count, hex } = bytes;
  if (hex === undefined) return node._("common.bytes.hex", { count });
  const shown = hex.length > LONGEST_HEX ? `${hex.slice(0, LONGEST_HEX)}…` : hex;
  return node._("common.bytes.text", { count, hex: shown });
}
