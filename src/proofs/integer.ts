const INTEGER = /^(?:\d{1,100}|0x[0-9a-fA-F]{1,64})$/;

/**
 * The decimal digits of a whole number of 0 or more, without leading zeros. Takes `7`, `"7"`, `"07"` and `"0x7"`.
 * Undefined for anything else.
 */
export function wholeDigits(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && INTEGER.test(text) ? BigInt(text).toString() : undefined;
}
