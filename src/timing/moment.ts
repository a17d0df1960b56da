import type { Clock } from "./clock.ts";

/** A moment by both clocks of the machine. */
export type Moment = { wall: number; elapsed: number };

export function momentOf(clock: Pick<Clock, "now" | "elapsed">): Moment {
  return { wall: clock.now(), elapsed: clock.elapsed() };
}

/**
 * When a moment was by what the machine's clock says now, in Unix milliseconds. If the clocks disagree, the earlier time:
 * the monotonic one stands still while the machine sleeps, and the other one may have been set.
 */
export function timeOfMoment({ wall, elapsed }: Moment, clock: Pick<Clock, "now" | "elapsed">): number {
  return Math.min(wall, Math.floor(clock.now() - (clock.elapsed() - elapsed)));
}
