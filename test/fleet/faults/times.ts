import type { Incident } from "./faults.ts";
import type { Outcome } from "./verdict.ts";

/** How long each hand-over of a kind took, in milliseconds. */
export function timesOf({ incidents }: Outcome, kind: Incident["handOver"]): number[] {
  return incidents.filter(({ handOver }) => handOver === kind).map(({ nextAfterMs }) => nextAfterMs);
}

/** `part` between 0 and 1. NaN where there are no values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** As `24 times, p50 812 ms, p99 1204 ms`. */
export function timesText(times: readonly number[]): string {
  const [middle, most] = [0.5, 0.99].map((part) => Math.round(percentile(times, part)));
  return `${times.length} times, p50 ${middle} ms, p99 ${most} ms`;
}
