import * as Address from "ox/Address";
import { CrecError } from "../errors.ts";
import type { ChainInteger } from "./decoded-event.ts";
import { type Fields, isObject, present } from "./fields.ts";
import { wholeDigits } from "./integer.ts";

/** No integer of a chain has more than 256 bits, and arithmetic on longer text takes long. */
const MOST_DIGITS = 100;

/** `{ [name]: read(value) }`, or an empty object where the value is missing. */
export function optional<Name extends string, T>(
  name: Name,
  value: unknown,
  read: (value: unknown, name: string) => T,
): { [K in Name]?: T } {
  return present(value) ? ({ [name]: read(value, name) } as { [K in Name]?: T }) : {};
}

/** @throws {CrecError} `MALFORMED_EVENT` */
export function fields(value: unknown, name: string): Fields {
  return isObject(value) ? value : malformed(`${name} is not an object`);
}

/** @throws {CrecError} `MALFORMED_EVENT` */
export function text(value: unknown, name: string): string {
  return typeof value === "string" ? value : malformed(`${name} is not text`);
}

/**
 * Decimal digits without leading zeros.
 * @throws {CrecError} `MALFORMED_EVENT`
 */
export function digits(value: unknown, name: string): string {
  const written = String(chainInteger(value, name));
  if (written.length > MOST_DIGITS) malformed(`${name} has more digits than it can have`);
  return written.replace(/^0+(?=\d)/, "");
}

/** @throws {CrecError} `MALFORMED_EVENT` */
export function chainInteger(value: unknown, name: string): ChainInteger {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return value;
  const written = wholeDigits(value);
  if (written !== undefined) return Number.isSafeInteger(Number(written)) ? Number(written) : written;
  return malformed(`${name} is not an integer`);
}

/**
 * Checksummed where it is an address, else as it is.
 * @throws {CrecError} `MALFORMED_EVENT` when it is not text.
 */
export function address(value: unknown, name: string): string {
  const written = text(value, name);
  return Address.validate(written, { strict: false }) ? Address.checksum(written) : written;
}

export function malformed(problem: string): never {
  throw new CrecError(
    "MALFORMED_EVENT",
    `The event cannot be read: ${problem}. Do not act on it, and request the event from the service again.`,
  );
}
