import { ArgumentError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";

/**
 * Call data in lower case and with `0x`, which may be missing in the input.
 *
 * @throws ArgumentError `INVALID_ARGUMENT`.
 */
export function callData(text: unknown, path: string): Hex {
  const digits = typeof text === "string" ? text.trim().replace(/^0x/i, "") : undefined;
  if (digits === undefined || !/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ArgumentError(path, `${path} must be hex with an even number of digits; 0x for no data.`);
  }
  return `0x${digits.toLowerCase()}`;
}
