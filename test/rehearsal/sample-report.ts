import fc from "fast-check";
import { OUTCOME_KINDS, type Outcome, type Report } from "../../rehearsal/shared/report.ts";

const START = Date.parse("2026-01-05T08:00:00Z");
const MINUTE = 60_000;

/** What a rehearsal of a flow with one alert may have come to: every third of 30 events raises an alert. */
export function sampleReport({ from = 0, every = 3 }: { from?: number; every?: number } = {}): Report {
  const offsets = Array.from({ length: 30 }, (_, index) => from + index);
  const raised = offsets.filter((offset) => offset % every === 0);
  const alerts = raised.map(
    (offset): Outcome => ({
      ...alertOf(offset),
      ...(offset % 2 === 0 ? {} : { kind: "suppressed", why: "quiet" }),
    }),
  );
  const count = (kind: Outcome["kind"]): number => alerts.filter((alert) => alert.kind === kind).length;
  const sent = alerts
    .filter(({ kind }) => kind === "alert")
    .map(
      (alert): Outcome => ({ ...alert, kind: "sent", node: "mqtt", text: "crec/alerts/warning", path: 1 }),
    );
  return {
    format: "crec-rehearsal",
    version: 1,
    span: { from: START, to: START + 30 * MINUTE },
    seed: 7,
    timeZone: "Europe/Berlin",
    tabs: [{ id: "tab", label: "Large transfers" }],
    channels: [
      {
        id: "0f0e",
        name: "quickstart",
        events: 30,
        firstOffset: from,
        lastOffset: from + offsets.length - 1,
      },
    ],
    events: { read: 30, delivered: 30 },
    nodes: [
      node("in", "crec-events-in", "transfers", { sent: [30] }),
      {
        ...node("alert", "crec-alert", "large transfer", { received: 30, sent: [count("alert"), 0, 20] }),
        outcomes: { alert: count("alert"), suppressed: count("suppressed") },
        reasons: { quiet: count("suppressed") },
      },
      {
        ...node("mqtt", "mqtt out", "", { received: sent.length }),
        handling: "recorded",
        outcomes: { sent: sent.length },
      },
    ],
    wires: [
      { from: "in", port: 0, to: "alert", count: 30 },
      { from: "alert", port: 0, to: "mqtt", count: sent.length },
    ],
    outcomes: [...alerts, ...sent].sort((one, other) => one.at - other.at),
    paths: [
      [{ from: "in", port: 0, to: "alert" }],
      [
        { from: "in", port: 0, to: "alert" },
        { from: "alert", port: 0, to: "mqtt" },
      ],
    ],
    notes: [{ kind: "recorded", node: "mqtt", text: "It was not run: what it was given is noted." }],
  };
}

function alertOf(offset: number): Outcome {
  return {
    kind: "alert",
    at: START + offset * MINUTE,
    node: "alert",
    text: `Transfer of ${offset * 100} tokens`,
    event: { channelId: "0f0e", offset },
    message: {
      payload: {
        kind: "alert",
        text: `value ${offset * 100}, from treasury`,
        event: { name: "Transfer", tokens: { value: String(offset * 100) } },
      },
    },
    path: 0,
  };
}

function node(
  id: string,
  type: string,
  name: string,
  counts: { received?: number; sent?: number[] },
): Report["nodes"][number] {
  const { received = 0, sent = [] } = counts;
  return { id, type, name, tab: "tab", handling: "runs", received, sent, outcomes: {}, reasons: {} };
}

/** Reports of up to four nodes, of which each has what it lists and perhaps more; texts are hostile. */
export const anyReport: fc.Arbitrary<Report> = fc
  .record({
    outcomes: fc.array(
      fc.record({
        kind: fc.constantFrom(...OUTCOME_KINDS),
        node: fc.constantFrom("a", "b", "__proto__", "d"),
        minute: fc.nat(20),
        text: fc.oneof(fc.string({ unit: "binary", maxLength: 250 }), fc.constantFrom("same", "<script>")),
        offset: fc.option(fc.nat(6)),
        channel: fc.constantFrom("one", "two"),
        why: fc.option(fc.constantFrom("quiet", "counted")),
        message: fc.jsonValue({ maxDepth: 2 }),
      }),
      { maxLength: 30 },
    ),
    unlisted: fc.nat(3),
    received: fc.nat(9),
  })
  .map(({ outcomes, unlisted, received }) => {
    const listed = outcomes
      .map(
        ({ minute, offset, channel, why, ...outcome }): Outcome => ({
          ...outcome,
          at: START + minute * MINUTE,
          ...(offset !== null && { event: { channelId: channel, offset } }),
          ...(why !== null && { why }),
        }),
      )
      .sort((one, other) => one.at - other.at);
    const nodes = ["a", "b", "__proto__", "d"].map((id) => {
      const own = listed.filter((outcome) => outcome.node === id);
      const kinds = [...new Set(own.map(({ kind }) => kind))];
      const counts = kinds.map((kind) => [kind, own.filter((one) => one.kind === kind).length + unlisted]);
      return { ...node(id, "any", id, { received, sent: [received] }), outcomes: Object.fromEntries(counts) };
    });
    const channels = ["one", "two"].map((id) => ({ id, name: `channel ${id}`, events: 7 }));
    return { ...sampleReport(), channels, nodes, outcomes: listed, wires: [], paths: [], notes: [] };
  });
