import type { Arrival, Collected } from "./kill-runs.ts";
import { range } from "./simulation.ts";

/** What is wrong on ack: each event is processed, first arrivals come in order, and repetitions say so. */
export function problemsOnAck({ arrivals, done }: Collected, events: number): string[] {
  // Nothing timed out: whatever came again did so in another life.
  const inOneLife = duplicates(arrivals.map(({ offset, life }) => `${offset} in life ${life}`));
  return [
    ...missing(done, events).map((offset) => `lost ${offset}`),
    ...problemsOfOrder(arrivals, events),
    ...repeatsOf(arrivals).flatMap(({ offset, redelivered }) => (redelivered ? [] : [`unmarked ${offset}`])),
    ...inOneLife.map((what) => `twice ${what}`),
    ...arrivals.flatMap(({ offset, attempt }) => (attempt === 1 ? [] : [`attempt ${attempt} of ${offset}`])),
  ];
}

/** What is wrong on send: lost is only what had been handed over, and that is not more than the flow takes. */
export function problemsOnSend({ arrivals, done, inHand }: Collected, events: number): string[] {
  const wasInHand = (offset: number) => inHand.some((hand) => hand.has(offset));
  return [
    ...problemsOfOrder(arrivals, events),
    ...missing(done, events).flatMap((offset) => (wasInHand(offset) ? [] : [`lost ${offset}`])),
    // The flow holds three, is at work on one, and is being given another.
    ...inHand.flatMap(({ size }) => (size > 5 ? [`${size} in hand`] : [])),
  ];
}

export function missing(done: ReadonlySet<number>, events: number): number[] {
  return range(1, events).filter((offset) => !done.has(offset));
}

export function repeatsOf(arrivals: readonly Arrival[]): Arrival[] {
  const seen = new Set<number>();
  return arrivals.filter(({ offset }) => seen.has(offset) || !seen.add(offset));
}

/** First arrivals are all events, each after the one before it. */
function problemsOfOrder(arrivals: readonly Arrival[], events: number): string[] {
  const firsts = [...new Set(arrivals.map(({ offset }) => offset))];
  const at = range(1, events).findIndex((offset, index) => firsts[index] !== offset);
  if (at === -1) return firsts.length > events ? [`${firsts[events]} does not exist`] : [];
  return [`${firsts[at] ?? "nothing"} came first instead of ${at + 1}`];
}

function duplicates(all: readonly string[]): string[] {
  const seen = new Set<string>();
  return all.filter((one) => seen.has(one) || !seen.add(one));
}
