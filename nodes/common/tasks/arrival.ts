let newest = 0;

/** A number for a message that arrives now: higher than those of all before it. */
export function nextArrival(): number {
  newest = Math.max(newest + 1, Date.now() * 1000);
  return newest;
}

/** Notes the number of a message from before a restart: the clock may have been set back since. */
export function noteArrival(number: number): void {
  newest = Math.max(newest, number);
}
