const INTEGER = /^(?:\d{1,100}|0x[0-9a-fA-F]{1,64})$/;

/**
 * The decimal digits of a whole number from 0 on, without leading zeros, however it is written: `7`, `"7"`, `"07"`,
 * `"0x7"`. Undefined for anything else.
 */
export function wholeDigits(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && INTEGER.test(text) ? BigInt(text).toString() : undefined;
}
