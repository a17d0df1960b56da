/** One arrival of an event at a flow. */
export type ChaosArrival = { id: string; offset: number; redelivered: boolean; late: boolean };

export type Verdict = {
  /** Expected, and never processed. */
  lost: string[];
  /** Delivered again without `redelivered`. */
  unmarked: string[];
  /** Delivered for the first time after a higher offset, without `late` or `redelivered`. */
  outOfOrder: string[];
  /** Delivered, though it should have been filtered. */
  unwanted: string[];
  arrivals: number;
  repeats: number;
  late: number;
};

/** What became of the promise: each event at least once, repetitions marked, first arrivals in order or marked. */
export function verdictOn(
  arrivals: readonly ChaosArrival[],
  { wanted, done }: { wanted: ReadonlySet<string>; done: ReadonlySet<string> },
): Verdict {
  const seen = new Set<string>();
  const [unmarked, outOfOrder, unwanted]: [string[], string[], string[]] = [[], [], []];
  let highest = -1;
  for (const { id, offset, redelivered, late } of arrivals) {
    if (!wanted.has(id)) unwanted.push(id);
    if (seen.has(id)) {
      if (!redelivered) unmarked.push(id);
      continue;
    }
    seen.add(id);
    if (offset <= highest && !late && !redelivered) outOfOrder.push(id);
    highest = Math.max(highest, offset);
  }
  return {
    lost: [...wanted].filter((id) => !done.has(id)),
    unmarked,
    outOfOrder,
    unwanted,
    arrivals: arrivals.length,
    repeats: arrivals.length - seen.size,
    late: arrivals.filter(({ late }) => late).length,
  };
}

/** What is wrong, in words; nothing where all is well. */
export function problemOf({ lost, unmarked, outOfOrder, unwanted }: Verdict): string | undefined {
  const parts = Object.entries({ lost, unmarked, outOfOrder, unwanted })
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${ids.length} ${what} (${ids.slice(0, 5).join(", ")})`);
  return parts.length === 0 ? undefined : parts.join("; ");
}
