import type { Outcome, OutcomeKind, Report } from "../shared/report.ts";
import {
  type Expectations,
  type ExpectedNode,
  eventCounts,
  idOf,
  LISTED,
  shortText,
} from "./expectations.ts";
import { type Group, groupKey, groupsOf, matchOutcomes, type SameAs } from "./match.ts";
import { causeOf, counted, grouped, kindCount, kindName, nodeName, plain, timeText } from "./words.ts";

/**
 * What the report has otherwise than expected, in sentences that begin with the name of the node. Empty when nothing
 * differs.
 */
export function unmet(expectations: Expectations, report: Report): string[] {
  const sentences = unmetEvents(expectations, report);
  const groups = groupsOf(report);
  const nodes = new Map(report.nodes.map((node) => [node.id, node]));
  const expectedKeys = new Set<string>();
  for (const expected of expectations.nodes) {
    const name = nodeName(nodes.get(expected.id) ?? { ...expected, type: "" }, expected.id);
    if (!nodes.has(expected.id)) {
      sentences.push(`${name}: this node is not in the flow.`);
      for (const kind of Object.keys(expected.counts))
        expectedKeys.add(groupKey(expected.id, kind as OutcomeKind));
      continue;
    }
    for (const group of expectedGroups(expected, report)) {
      const key = groupKey(group.node, group.kind);
      expectedKeys.add(key);
      sentences.push(...unmetGroup(group, groups.get(key), { name, report }));
    }
    sentences.push(...unmetReasons(expected, nodes.get(expected.id)?.reasons ?? {}, name));
  }
  for (const [key, { kind, node, count }] of groups) {
    if (count > 0 && !expectedKeys.has(key))
      sentences.push(`${nodeName(nodes.get(node), node)}: ${kindCount(kind, count)}, expected none.`);
  }
  return sentences;
}

type Expected = Group & { hasMessages: boolean };

function expectedGroups({ id, counts, outcomes = [] }: ExpectedNode, report: Report): Expected[] {
  return Object.entries(counts).map(([kind, count]) => {
    const own = outcomes.filter((outcome) => outcome.kind === kind);
    return {
      kind: kind as OutcomeKind,
      node: id,
      count,
      hasMessages: own.some(({ message }) => message !== undefined),
      listed: own.map(({ at, event, channel, text, message }) => ({
        kind: kind as OutcomeKind,
        node: id,
        at: Date.parse(at),
        text,
        message,
        ...(event !== undefined && {
          event: { channelId: idOf(channel, report), offset: event },
        }),
      })),
    };
  });
}

function unmetGroup(
  expected: Expected,
  found: Group | undefined,
  { name, report }: { name: string; report: Report },
): string[] {
  const { kind, node, count } = expected;
  const actual = withShortTexts(found ?? { kind, node, count: 0, listed: [] });
  const sentences =
    actual.count === count ? [] : [`${name}: ${kindCount(kind, actual.count)}, expected ${grouped(count)}.`];
  if (!LISTED.has(kind) || (expected.listed.length === 0 && count > 0)) return sentences;
  const same: SameAs = (one, other) =>
    one.at === other.at &&
    one.text === other.text &&
    (!expected.hasMessages || sameJson(one.message ?? null, other.message ?? null));
  const { gone, appeared, changed } = matchOutcomes(expected, actual, same);
  const said = (outcome: Outcome): string => `${causeOf(outcome, report)}, “${plain(outcome.text)}”`;
  return [
    ...sentences,
    ...gone.map((outcome) => `${name}: no ${kindName(kind)} ${said(outcome)}.`),
    ...appeared.map((outcome) => `${name}: an unexpected ${kindName(kind)} ${said(outcome)}.`),
    ...changed.map(
      ({ before, after }) =>
        `${name}: the ${kindName(kind)} ${causeOf(after, report)} ${changeInWords(before, after, report)}.`,
    ),
  ];
}

/** As expectations keep them. */
function withShortTexts(group: Group): Group {
  return { ...group, listed: group.listed.map((outcome) => ({ ...outcome, text: shortText(outcome.text) })) };
}

function changeInWords(before: Outcome, after: Outcome, { timeZone }: Report): string {
  const texts = [before, after].map(({ text }) => plain(text));
  if (texts[0] !== texts[1]) return `says “${texts[1]}”, expected “${texts[0]}”`;
  if (before.at !== after.at)
    return `came at ${timeText(after.at, timeZone)}, expected ${timeText(before.at, timeZone)}`;
  return `has another message: ${plain(JSON.stringify(after.message))}, expected ${plain(JSON.stringify(before.message))}`;
}

function unmetReasons(
  { counts, reasons = {} }: ExpectedNode,
  actual: Record<string, number>,
  name: string,
): string[] {
  if (counts.suppressed === undefined) return [];
  return [...new Set([...Object.keys(reasons), ...Object.keys(actual)])].flatMap((why) => {
    const [count, expected] = [actual[why] ?? 0, reasons[why] ?? 0];
    return count === expected
      ? []
      : [`${name}: ${counted(count, "alert")} suppressed as ${plain(why)}, expected ${grouped(expected)}.`];
  });
}

/** Without the same events, the rest says little: so it comes first. */
function unmetEvents({ events }: Expectations, report: Report): string[] {
  const actual = eventCounts(report);
  return [...new Set([...Object.keys(events), ...Object.keys(actual)])].flatMap((channel) => {
    const [count, expected] = [actual[channel] ?? 0, events[channel] ?? 0];
    return count === expected
      ? []
      : [`The events differ: ${grouped(count)} of channel ${plain(channel)}, expected ${grouped(expected)}.`];
  });
}

/** The order of properties is no difference. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sortKeys) === JSON.stringify(other, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
