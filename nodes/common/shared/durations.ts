import type { FieldCheck } from "./field-checks.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const DURATION = /^(\d+(?:\.\d+)?)\s*([smhdw])$/;

/** A duration as people write it, such as `90s`, `10m`, `24h` or `7d`, in milliseconds; undefined for other text. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ""] = DURATION.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

export const isDuration: FieldCheck = (text) => durationMs(text) !== undefined;
/** Of a window: it has a length. */
export const isSomeTime: FieldCheck = (text) => (durationMs(text) ?? 0) > 0;
