import { ArgumentError } from "../errors.ts";

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

export function requireOneOf(values: readonly string[], value: string, path: string): void {
  if (!values.includes(value)) throw new ArgumentError(path, `${path} must be one of ${values.join(", ")}.`);
}

/** A number or a place of something in a chain. */
export function requireIndex(value: number, path: string): void {
  if (!(Number.isSafeInteger(value) && value >= 0))
    throw new ArgumentError(path, `${path} must be an integer, 0 or more.`);
}

/** Of `Date.now()`, it would be in the year 58000. */
export function requireSeconds(value: number, path: string): void {
  if (!(Number.isInteger(value) && value >= 0 && value <= LAST_SECOND))
    throw new ArgumentError(
      path,
      `${path} must be in Unix seconds, an integer: Date.now() has milliseconds.`,
    );
}

/** `0x` and hex digits, two for each byte; `bytes` where there must be so many. */
export function requireHex(value: string, path: string, bytes?: number): void {
  if (/^0x(?:[0-9a-f]{2})*$/i.test(value) && (bytes === undefined || value.length === 2 + 2 * bytes)) return;
  const size = bytes === undefined ? "bytes" : `${bytes} bytes`;
  throw new ArgumentError(path, `${path} must be ${size} as hex digits, after 0x.`);
}
