import type { Cell } from "./cells.ts";

/** A time through which what is in the window reaches the limit: from its first moment to the first one after it. */
export type Span = {
  from: number;
  to: number;
  /** It begins because something leaves the window: no event tells of it. */
  isByTime: boolean;
  /** What the window holds as it begins. */
  count: number;
  sum: bigint;
};

/**
 * When the window of a sum reaches its limit, in order. A window holds what is less than its length older than its end.
 * `reaches` is asked about a window that holds something.
 */
export function spansOf(
  cells: readonly Cell[],
  { withinMs, reaches }: { withinMs: number; reaches: (sum: bigint) => boolean },
): Span[] {
  const spans: Span[] = [];
  let [added, dropped, count, sum] = [0, 0, 0, 0n];
  let open: Span | undefined;
  for (let oldest = cells[0]; oldest !== undefined; oldest = cells[dropped]) {
    const next = cells[added];
    const leavesAt = oldest.at + withinMs;
    const at = Math.min(next?.at ?? leavesAt, leavesAt);
    if (next?.at === at) {
      count += next.n;
      sum += next.sum;
      added += 1;
    }
    if (leavesAt === at) {
      count -= oldest.n;
      sum -= oldest.sum;
      dropped += 1;
    }
    const isReached = count > 0 && reaches(sum);
    if (isReached) open ??= { from: at, to: at, isByTime: next?.at !== at, count, sum };
    else if (open !== undefined) {
      spans.push({ ...open, to: at });
      open = undefined;
    }
  }
  return spans;
}
