import {
  type NodeReport,
  OUTCOME_KINDS,
  type Outcome,
  type OutcomeKind,
  type Report,
} from "../shared/report.ts";
import { type Group, groupKey, groupsOf, matchOutcomes } from "./match.ts";
import { changeOf, counted, grouped, kindName, namesOf, nodeName, plain, spanText } from "./words.ts";

/** What a second rehearsal has otherwise than a first one. Nodes are the same where their ids are. */
export type Differences = {
  /** What the rehearsals were not given alike: span, events, seed. Sentences. */
  inputs: string[];
  outcomes: OutcomeDifference[];
  /** Nodes that got or sent another number of messages, or are in one of both only. */
  nodes: NodeDifference[];
  wires: WireDifference[];
};

type OutcomeDifference = {
  kind: OutcomeKind;
  node: string;
  name: string;
  /** Of everything, also of what a report does not list. */
  before: number;
  after: number;
  appeared: Outcome[];
  gone: Outcome[];
  changed: Array<{ before: Outcome; after: Outcome }>;
};

export type NodeDifference = {
  node: string;
  name: string;
  /** Without: the node is not in that rehearsal. */
  before?: { received: number; sent: number };
  after?: { received: number; sent: number };
};

type WireDifference = { from: string; port: number; to: string; before: number; after: number };

/** What `after` has otherwise than `before`. Both ways round, it finds the same. */
export function differencesOf(before: Report, after: Report): Differences {
  return {
    inputs: inputDifferences(before, after),
    outcomes: outcomeDifferences(before, after),
    nodes: nodeDifferences(before, after),
    wires: wireDifferences(before, after),
  };
}

/** Whether two rehearsals came to the same, whatever they were given. */
export function isEmpty({ outcomes, nodes, wires }: Differences): boolean {
  return outcomes.length + nodes.length + wires.length === 0;
}

/** In sentences: first what the rehearsals were given, then the outcomes, at last the counts. */
export function differencesInWords(differences: Differences): string[] {
  const { inputs, outcomes, nodes, wires } = differences;
  if (isEmpty(differences)) return [...inputs, "No outcome and no count differs."];
  const changes = [
    nodes.length > 0 && `${counted(nodes.length, "node")} got or sent another number of messages`,
    wires.length > 0 && `${counted(wires.length, "wire")} carried another number`,
  ].filter((text) => text !== false);
  return [
    ...inputs,
    ...outcomes.map(outcomeInWords),
    ...(changes.length > 0 ? [`${changes.join(", ")}.`] : []),
  ];
}

/** `large transfer: 31 alerts more (40 instead of 9).` */
function outcomeInWords({ kind, name, before, after, appeared, gone, changed }: OutcomeDifference): string {
  const parts = [
    before === after
      ? `as many ${kindName(kind, 2)} (${grouped(after)})`
      : `${changeOf(kind, before, after)} (${grouped(after)} instead of ${grouped(before)})`,
    // A number that only rose or fell says this already.
    gone.length > 0 && appeared.length > 0 && `${grouped(appeared.length)} new, ${grouped(gone.length)} gone`,
    before === after && gone.length === 0 && appeared.length > 0 && `${grouped(appeared.length)} new`,
    changed.length > 0 && `${grouped(changed.length)} changed`,
  ];
  return `${name}: ${parts.filter((part) => part !== false).join(", ")}.`;
}

function inputDifferences(before: Report, after: Report): string[] {
  const sentences: string[] = [];
  const [spanBefore, spanAfter] = [spanText(before), spanText(after)];
  // What differs by less than a minute has the same events, or the next sentence says otherwise.
  if (spanBefore !== spanAfter) {
    sentences.push(`The spans differ: ${spanBefore} before, ${spanAfter} after.`);
  }
  if (JSON.stringify(eventsOf(before)) !== JSON.stringify(eventsOf(after))) {
    sentences.push(
      `The events differ: ${counted(before.events.read, "event")} before, ${grouped(after.events.read)} after.`,
    );
  }
  if (before.seed !== after.seed)
    sentences.push(`The seeds differ: ${before.seed} before, ${after.seed} after.`);
  if (before.timeZone !== after.timeZone) {
    sentences.push(
      `The time zones differ: ${plain(before.timeZone)} before, ${plain(after.timeZone)} after.`,
    );
  }
  const tabs = (report: Report): string => report.tabs.map(({ label }) => plain(label)).join(", ") || "none";
  const ids = (report: Report): string => JSON.stringify(report.tabs.map(({ id }) => id).sort());
  if (ids(before) !== ids(after))
    sentences.push(`The tabs differ: ${tabs(before)} before, ${tabs(after)} after.`);
  const nodes = new Map(before.nodes.map((node) => [node.id, node]));
  for (const node of after.nodes) {
    const other = nodes.get(node.id);
    if (other === undefined || other.handling === node.handling) continue;
    sentences.push(
      `${nodeName(node)}: ${HANDLING[other.handling]} before, ${HANDLING[node.handling]} after.`,
    );
  }
  return sentences;
}

const HANDLING: Readonly<Record<NodeReport["handling"], string>> = {
  runs: "ran",
  recorded: "was recorded",
  withheld: "ran without sending",
  replied: "answered with test replies",
  silent: "was silent",
};

function eventsOf({ events, channels }: Report): unknown {
  const ranges = channels.map(({ id, events: read, firstOffset, lastOffset }) => [
    id,
    read,
    firstOffset,
    lastOffset,
  ]);
  return [events.read, ranges.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))];
}

function outcomeDifferences(before: Report, after: Report): OutcomeDifference[] {
  const [olds, news] = [groupsOf(before), groupsOf(after)];
  const names = namesOf([...before.nodes, ...after.nodes]);
  const differences: OutcomeDifference[] = [];
  for (const key of new Set([...news.keys(), ...olds.keys()])) {
    const known = news.get(key) ?? olds.get(key);
    if (known === undefined) continue;
    const none: Group = { kind: known.kind, node: known.node, count: 0, listed: [] };
    const [old, now] = [olds.get(key) ?? none, news.get(key) ?? none];
    const matched = matchOutcomes(old, now);
    if (old.count === now.count && Object.values(matched).every((list) => list.length === 0)) continue;
    const { kind, node } = known;
    const name = names.get(node) ?? plain(node);
    differences.push({ kind, node, name, before: old.count, after: now.count, ...matched });
  }
  return inOrder(differences, before, after);
}

/** What matters most first, then as the nodes are in the flow. */
function inOrder(differences: OutcomeDifference[], before: Report, after: Report): OutcomeDifference[] {
  const places = placesOf(before, after);
  const place = ({ kind, node }: OutcomeDifference): number =>
    OUTCOME_KINDS.indexOf(kind) * 1e6 + (places.get(node) ?? 1e6 - 1);
  const byKey = (one: OutcomeDifference, other: OutcomeDifference): number =>
    groupKey(one.node, one.kind) < groupKey(other.node, other.kind) ? -1 : 1;
  return differences.sort((one, other) => place(one) - place(other) || byKey(one, other));
}

function placesOf(before: Report, after: Report): Map<string, number> {
  const ids = new Set([...after.nodes, ...before.nodes].map(({ id }) => id));
  return new Map([...ids].map((id, index) => [id, index]));
}

function nodeDifferences(before: Report, after: Report): NodeDifference[] {
  const counts = (node: NodeReport | undefined): { received: number; sent: number } | undefined =>
    node && { received: node.received, sent: node.sent.reduce((sum, sent) => sum + sent, 0) };
  const [olds, news] = [before, after].map(({ nodes }) => new Map(nodes.map((node) => [node.id, node])));
  return [...placesOf(before, after).keys()].flatMap((id): NodeDifference[] => {
    const [old, now] = [olds?.get(id), news?.get(id)];
    const isSame = old?.received === now?.received && JSON.stringify(old?.sent) === JSON.stringify(now?.sent);
    if (isSame) return [];
    const [earlier, later] = [counts(old), counts(now)];
    return [
      {
        node: id,
        name: nodeName(now ?? old, id),
        ...(earlier && { before: earlier }),
        ...(later && { after: later }),
      },
    ];
  });
}

function wireDifferences(before: Report, after: Report): WireDifference[] {
  const wires = new Map<string, WireDifference>();
  for (const [report, side] of [
    [before, "before"],
    [after, "after"],
  ] as const) {
    for (const { from, port, to, count } of report.wires) {
      const key = JSON.stringify([from, port, to]);
      const wire = wires.get(key) ?? { from, port, to, before: 0, after: 0 };
      wire[side] += count;
      wires.set(key, wire);
    }
  }
  return [...wires.values()].filter(({ before: old, after: now }) => old !== now);
}
