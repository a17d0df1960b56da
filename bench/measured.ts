/** One line of a table: what was measured, and how it came out. */
export type Measured = { what: string; value: string };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

/** As `12,345 events/s (1,620 ms)`. */
export function perSecond(count: number, ms: number, unit: string): string {
  return `${Math.round((count / ms) * 1000).toLocaleString("en-US")} ${unit}/s (${Math.round(ms).toLocaleString("en-US")} ms)`;
}
