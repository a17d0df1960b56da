import type { Outcome, OutcomeKind, Report } from "../shared/report.ts";

/** The outcomes of one kind of one node. */
export type Group = { kind: OutcomeKind; node: string; count: number; listed: readonly Outcome[] };

/** Which outcomes of two groups are the same ones. */
type Matched = {
  /** Only in the first. */
  gone: Outcome[];
  /** Only in the second. */
  appeared: Outcome[];
  /** In both, at another time, with another text or another reason. */
  changed: Array<{ before: Outcome; after: Outcome }>;
};

/** How two outcomes with the same cause may differ. */
export type SameAs = (before: Outcome, after: Outcome) => boolean;

const looksSame: SameAs = (before, after) =>
  before.at === after.at && before.text === after.text && before.why === after.why;

/** By node and kind, in the order of first appearance. Counts are of everything, also of what is not listed. */
export function groupsOf({ nodes, outcomes }: Pick<Report, "nodes" | "outcomes">): Map<string, Group> {
  const groups = new Map<string, Group & { listed: Outcome[] }>();
  const groupOf = (node: string, kind: OutcomeKind): Group & { listed: Outcome[] } => {
    const key = groupKey(node, kind);
    const group = groups.get(key) ?? { kind, node, count: 0, listed: [] };
    groups.set(key, group);
    return group;
  };
  for (const { id, outcomes: counts } of nodes) {
    for (const [kind, count] of Object.entries(counts)) groupOf(id, kind as OutcomeKind).count = count;
  }
  for (const outcome of outcomes) {
    const group = groupOf(outcome.node, outcome.kind);
    group.listed.push(outcome);
    group.count = Math.max(group.count, group.listed.length);
  }
  return groups;
}

export function groupKey(node: string, kind: OutcomeKind): string {
  return JSON.stringify([kind, node]);
}

/**
 * An outcome of an event is the same where the event is the same; one that only the time led to, where time and text are.
 * Of a group that is not listed completely, the first outcomes are known: both are compared up to there.
 */
export function matchOutcomes(before: Group, after: Group, same: SameAs = looksSame): Matched {
  const end = Math.min(knownUntil(before), knownUntil(after));
  const known = ({ listed }: Group): Outcome[] => listed.filter(({ at }) => at < end);
  const changed: Matched["changed"] = [];
  const left = byCause(known(after));
  const gone: Outcome[] = [];
  // Of several outcomes of one event, those that look the same belong together.
  const rest = known(before).filter(
    (outcome) => !takeFrom(left.get(causeKey(outcome)), (other) => same(outcome, other)),
  );
  for (const outcome of rest) {
    const other = takeFrom(left.get(causeKey(outcome)), () => true);
    if (other === undefined) gone.push(outcome);
    else changed.push({ before: outcome, after: other });
  }
  const unmatched = new Set([...left.values()].flat());
  return { gone, appeared: after.listed.filter((outcome) => unmatched.has(outcome)), changed };
}

function knownUntil({ count, listed }: Group): number {
  return listed.length >= count ? Number.POSITIVE_INFINITY : (listed.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
}

function causeKey({ event, at, text }: Outcome): string {
  return JSON.stringify(event === undefined ? [at, text] : [event.channelId, event.offset, "event"]);
}

function byCause(outcomes: readonly Outcome[]): Map<string, Outcome[]> {
  const causes = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = causeKey(outcome);
    const list = causes.get(key);
    if (list === undefined) causes.set(key, [outcome]);
    else list.push(outcome);
  }
  return causes;
}

function takeFrom(list: Outcome[] | undefined, isIt: (outcome: Outcome) => boolean): Outcome | undefined {
  const index = list?.findIndex(isIt) ?? -1;
  return index === -1 ? undefined : list?.splice(index, 1)[0];
}
