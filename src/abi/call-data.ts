import { ArgumentError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";

/**
 * What a contract is called with, in lower case and with its `0x`, which may be left out on input.
 *
 * @throws ArgumentError `INVALID_ARGUMENT`.
 */
export function callData(text: unknown, path: string): Hex {
  const digits = typeof text === "string" ? text.trim().replace(/^0x/i, "") : undefined;
  if (digits === undefined || !/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ArgumentError(path, `${path} must be hex with an even number of digits; 0x alone for no data.`);
  }
  return `0x${digits.toLowerCase()}`;
}
