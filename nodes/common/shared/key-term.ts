import type { FieldCheck } from "./field-checks.ts";

/** A key that ends sooner is reported: time enough to ask for another one. */
export const KEY_ENDS_SOON_MS = 14 * 86_400_000;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The start of a day such as `2027-03-31`, in UTC, in Unix milliseconds. Undefined for anything else. */
export function startOfDay(text: string): number | undefined {
  if (!DAY.test(text)) return undefined;
  const time = Date.parse(text);
  // A date such as 2027-02-31 would be a day in March.
  return new Date(time || 0).toISOString().startsWith(text) ? time : undefined;
}

export const isDay: FieldCheck = (text) => startOfDay(text) !== undefined;
