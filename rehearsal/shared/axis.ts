/** Bars of one length over the time in which something happened. All times are Unix milliseconds. */
export type Axis = { from: number; step: number; count: number };

const MINUTE_MS = 60_000;
const DAY = 1440;
/** Of an hour and of a day: so that a bar begins where people would look for it. */
const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720];

/** A day in which all happened within an hour has bars of minutes in that hour, and no empty ones before. */
export function axisOf(times: readonly number[], most: number): Axis {
  const first = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const last = times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const stepOf = (minutes: number): Axis => {
    const step = minutes * MINUTE_MS;
    const from = Math.floor(first / step) * step;
    return { from, step, count: Math.floor((last - from) / step) + 1 };
  };
  if (times.length === 0) return { from: 0, step: MINUTE_MS, count: 0 };
  const found = MINUTES.map(stepOf).find(({ count }) => count <= most);
  if (found) return found;
  const days = Math.ceil((last - first + 1) / (DAY * MINUTE_MS) / (most - 1));
  return stepOf(days * DAY);
}

/** Which bar a time is in. */
export function barOf(at: number, { from, step }: Axis): number {
  return Math.floor((at - from) / step);
}
