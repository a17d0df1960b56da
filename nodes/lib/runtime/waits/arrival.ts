let newest = 0;

/** A number for a message that arrives now: higher than those of all before it, also of those before a restart. */
export function nextArrival(): number {
  newest = Math.max(newest + 1, Date.now() * 1000);
  return newest;
}
