import { nodeError } from "./errors.ts";
import type { FieldCheck } from "./field-checks.ts";

/** In seconds. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const AGO = /^(\d+(?:\.\d+)?)\s*([smhdw])(?:\s*ago)?$/;
const DURATION = /^(\d+(?:\.\d+)?)\s*([smhdw])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DIGITS = /^\d+(\.\d+)?$/;
/** A date first: left to itself, `Date.parse` finds a year in "-5" and in "offset 12". */
const DATE = /^\d{4}-\d\d/;
/** From here on a number is milliseconds, as timestamps of Node-RED are: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;

/**
 * A time as people and flows write it, in Unix seconds: `1780000000`, `2026-01-31T12:00:00Z`, `24h` or `7d` ago,
 * `now`; a timestamp in milliseconds or a date from a message. Undefined where there is none. `now` in Unix seconds.
 * @throws INVALID_FIELD
 */
export function timeOf(label: string, value: unknown, now: number): number | undefined {
  const given = typeof value === "string" ? value.trim() : value;
  if (given === undefined || given === null || given === "") return undefined;
  const time = secondsOf(given, now);
  if (time !== undefined && Number.isFinite(time) && time >= 0) return Math.floor(time);
  throw nodeError(
    "INVALID_FIELD",
    `"${label}" must be a time such as 2026-01-31T12:00:00Z, 24h or 7d ago, or Unix seconds, not "${String(value)}".`,
  );
}

/** Whether a text is a time, in the same ways. */
export function isTime(text: string): boolean {
  const time = secondsOf(text.trim(), Date.now() / 1000);
  return time !== undefined && Number.isFinite(time) && time >= 0;
}

/** `2026-01-31 12:00:00 UTC`, in each language. `at` in Unix milliseconds. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function secondsOf(value: unknown, now: number): number | undefined {
  if (value instanceof Date) return value.getTime() / 1000;
  if (typeof value === "number") return value >= MILLISECONDS_FROM ? value / 1000 : value;
  if (typeof value !== "string") return undefined;
  if (value === "now") return now;
  if (DIGITS.test(value)) return secondsOf(Number(value), now);
  const [, count, unit = ""] = AGO.exec(value) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  return DATE.test(value) ? Date.parse(value) / 1000 : undefined;
}

/** A duration as people write it, such as `90s`, `10m`, `24h` or `7d`, in milliseconds; undefined for other text. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ""] = DURATION.exec(text.trim()) ?? [];
  const ms = Number(count) * ((UNITS[unit] ?? Number.NaN) * 1_000);
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

export const isDuration: FieldCheck = (text) => durationMs(text) !== undefined;
/** Of a window: it has a length. */
export const isSomeTime: FieldCheck = (text) => (durationMs(text) ?? 0) > 0;

/** A key that ends sooner is reported: time enough to ask for another one. */
export const KEY_ENDS_SOON_MS = 14 * 86_400_000;

/** The start of a day such as `2027-03-31`, in UTC, in Unix milliseconds. Undefined for anything else. */
export function startOfDay(text: string): number | undefined {
  if (!DAY.test(text)) return undefined;
  const time = Date.parse(text);
  // A date such as 2027-02-31 would be a day in March.
  return new Date(time || 0).toISOString().startsWith(text) ? time : undefined;
}

export const isDay: FieldCheck = (text) => startOfDay(text) !== undefined;

/** Looks a text up in the catalog. */
type Translate = (key: string, values: { count: number }) => string;

/** `30 minutes`, `90 seconds`, in the reader's language. */
export function durationWords(translate: Translate, seconds: number): string {
  const isMinutes = seconds >= 60 && seconds % 60 === 0;
  const count = isMinutes ? seconds / 60 : seconds;
  return translate(isMinutes ? "common.duration.minutes" : "common.duration.seconds", { count });
}
