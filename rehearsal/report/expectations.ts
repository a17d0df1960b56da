import { REPORT_LIMITS } from "../shared/job.ts";
import type { Outcome, OutcomeKind, Report } from "../shared/report.ts";
import { groupsOf } from "./match.ts";
import { nodeName } from "./words.ts";

/** What a flow must do again with the same events. A file to keep beside the flow. */
export type Expectations = {
  format: "crec-expectations";
  version: 1;
  /** The settings that it was rehearsed with. Times as ISO 8601. */
  run: {
    tabs: Array<{ id: string; label: string }>;
    from: string;
    to: string;
    seed: number;
    timeZone: string;
  };
  /** Events read, by the name of the channel. */
  events: Record<string, number>;
  /** Nodes with outcomes. Any other node must have none. */
  nodes: ExpectedNode[];
};

export type ExpectedNode = {
  id: string;
  /** For people: a node is found by its id. */
  name: string;
  counts: Partial<Record<OutcomeKind, number>>;
  /** Of suppressed alerts, for each reason. */
  reasons?: Record<string, number>;
  /** Those that matter, the first ones of each kind. */
  outcomes?: ExpectedOutcome[];
};

type ExpectedOutcome = {
  kind: OutcomeKind;
  at: string;
  /** The offset of the event that led to it. */
  event?: number;
  /** Only where several channels are read. */
  channel?: string;
  text: string;
  /** Only where messages must be the same. */
  message?: unknown;
};

/** The outcomes that are kept one by one. Of the others, the numbers are enough. */
export const LISTED: ReadonlySet<OutcomeKind> = new Set([
  "alert",
  "resolved",
  "sent",
  "operation",
  "watcher",
  "call",
  "error",
]);
/** As many as a report keeps. */
const LISTED_PER_NODE = REPORT_LIMITS.outcomesPerNode;
const LONGEST_TEXT = 200;

/**
 * What this rehearsal came to, to be expected again.
 *
 * @param options `exact`: messages must be the same too
 */
export function expectationsOf(report: Report, { exact = false }: { exact?: boolean } = {}): Expectations {
  const groups = groupsOf(report);
  const names = new Map(report.nodes.map((node) => [node.id, node]));
  const ids = new Set([...groups.values()].filter(({ count }) => count > 0).map(({ node }) => node));
  return {
    format: "crec-expectations",
    version: 1,
    run: {
      tabs: report.tabs.map(({ id, label }) => ({ id, label })),
      from: new Date(report.span.from).toISOString(),
      to: new Date(report.span.to).toISOString(),
      seed: report.seed,
      timeZone: report.timeZone,
    },
    events: eventCounts(report),
    nodes: [...ids].map((id) => {
      const own = [...groups.values()].filter(({ node, count }) => node === id && count > 0);
      const outcomes = own
        .filter(({ kind }) => LISTED.has(kind))
        .flatMap(({ listed }) => listed.slice(0, LISTED_PER_NODE))
        .sort((one, other) => one.at - other.at);
      const reasons = names.get(id)?.reasons ?? {};
      return {
        id,
        name: nodeName(names.get(id), id),
        counts: Object.fromEntries(own.map(({ kind, count }) => [kind, count])),
        ...(Object.keys(reasons).length > 0 && { reasons: { ...reasons } }),
        ...(outcomes.length > 0 && {
          outcomes: outcomes.map((outcome) => expectedOf(outcome, report, exact)),
        }),
      };
    }),
  };
}

function expectedOf(
  { kind, at, event, text, message }: Outcome,
  report: Report,
  exact: boolean,
): ExpectedOutcome {
  return {
    kind,
    at: new Date(at).toISOString(),
    ...(event && { event: event.offset }),
    ...(event && report.channels.length > 1 && { channel: keyOf(event.channelId, report) }),
    text: shortText(text),
    ...(exact && { message: message ?? null }),
  };
}

/** One line for each outcome, so that a difference in git is easy to read. */
export function expectationsText(expectations: Expectations): string {
  const lines: string[] = [];
  const { nodes, ...rest } = expectations;
  const compact = nodes.map(({ outcomes, ...node }) => ({
    ...node,
    ...(outcomes && {
      outcomes: outcomes.map((outcome) => `\u0000${lines.push(JSON.stringify(outcome)) - 1}\u0000`),
    }),
  }));
  const text = JSON.stringify({ ...rest, nodes: compact }, null, 2);
  return `${text.replaceAll(/"\\u0000(\d+)\\u0000"/g, (_all, index) => lines[Number(index)] ?? "")}\n`;
}

/** Events read, by channel. */
export function eventCounts(report: Report): Record<string, number> {
  return Object.fromEntries(report.channels.map(({ id, events }) => [keyOf(id, report), events]));
}

/** A channel by its name, which stays when it is recorded again at another service; by its id where that is not unique. */
function keyOf(channelId: string, { channels }: Report): string {
  const name = channels.find(({ id }) => id === channelId)?.name;
  const isUnique = channels.filter((channel) => channel.name === name || channel.id === name).length === 1;
  return name && isUnique ? name : channelId;
}

/** The id of a channel that `keyOf` named; of the only one without a name. */
export function idOf(key: string | undefined, report: Report): string {
  return report.channels.find(({ id }) => key === undefined || keyOf(id, report) === key)?.id ?? key ?? "";
}

export function shortText(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}
