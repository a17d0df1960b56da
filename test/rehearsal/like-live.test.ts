import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import should from "should";
import { type FlowNode, REPORT_LIMITS } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { jobOf, rehearse } from "../support/rehearsal.ts";
import { inVariants } from "../support/variants.ts";
import { type Left, LiveFlows, type Moved } from "./support/live-flows.ts";
import { flowsOf, type RandomSource, randomEvents, randomSources } from "./support/random-flows.ts";
import { channelOf, configOf, type MadeEvent, pastOf, snapshotOf } from "./support/signed-events.ts";

const numRuns = Number(process.env.REHEARSAL_RUNS ?? 40);
const TIMEOUT_MS = Math.max(120_000, numRuns * 6_000);

/** What is compared of both. */
type Verdict = {
  left: Record<string, unknown[]>;
  received: Record<string, number>;
  wires: Record<string, number>;
};

let runs = 0;

describe("a rehearsal, and the same flow live", function () {
  this.timeout(TIMEOUT_MS);

  let live: LiveFlows;
  before(async () => {
    live = await LiveFlows.start();
  });
  after(async () => {
    await live?.close();
  });

  inVariants(() => {
    it("send the same messages to the same nodes, for random flows without timers", () =>
      fc.assert(
        fc.asyncProperty(randomSources, randomEvents, randomEvents, async (sources, first, second) => {
          const { rehearsed, done } = await both(live, sources, [first, second]);
          should(differences(rehearsed, done)).deepEqual([]);
        }),
        { numRuns, interruptAfterTimeLimit: 0.9 * TIMEOUT_MS, markInterruptAsFailure: numRuns < 50 },
      ));
  });
});

/** Runs a flow live, and rehearses it over the same events. */
async function both(
  live: LiveFlows,
  sources: readonly RandomSource[],
  events: ReadonlyArray<readonly MadeEvent[]>,
): Promise<{ rehearsed: Verdict; done: Verdict }> {
  runs += 1;
  const prefix = `r${runs}`;
  const start = Math.floor(Date.now() / 1000) - 3_600;
  const channels = events.map((made, index) =>
    channelOf(randomUUID(), `${prefix}-channel${index}`, start, made),
  );
  const flows = [...configOf(prefix, live.baseUrl, channels), ...flowsOf(prefix, sources)];
  const span = { from: start * 1000, to: (start + 3_600) * 1000 };
  const limits = { ...REPORT_LIMITS, messageBytes: 100_000 };
  const job = jobOf(flows, { snapshot: snapshotOf(channels), span, limits });
  const [report, moved] = await Promise.all([
    rehearse(job, pastOf(channels, start)),
    live.run(flows, channels),
  ]);
  return { rehearsed: ofReport(report, flows), done: ofLive(moved, flows) };
}

/** Short: a flow has many messages. */
function differences(rehearsed: Verdict, done: Verdict): unknown[] {
  const parts = ["received", "wires", "left"] as const;
  return parts.flatMap((part) => {
    const keys = new Set([...Object.keys(rehearsed[part]), ...Object.keys(done[part])]);
    return [...keys].flatMap((key): unknown[] => {
      const [one, other] = [rehearsed[part][key], done[part][key]];
      if (isDeepStrictEqual(one, other)) return [];
      if (!Array.isArray(one) || !Array.isArray(other)) return [{ key, rehearsed: one, live: other }];
      const at = one.findIndex((message, index) => !isDeepStrictEqual(message, other[index]));
      const first = at === -1 ? one.length : at;
      return [{ key, index: first, rehearsed: one[first], live: other[first] }];
    });
  });
}

function ofReport({ outcomes, nodes, wires }: Report, flows: readonly FlowNode[]): Verdict {
  const left: Record<string, unknown[]> = {};
  for (const { kind, node, message } of outcomes) {
    if (kind !== "sent") continue;
    const before = left[node] ?? [];
    left[node] = [...before, shown(message as Left)];
  }
  const isCompared = comparedOf(flows);
  const received = nodes.filter(({ id, received }) => isCompared(id) && received > 0);
  const taken = wires.filter(({ from, to }) => isCompared(from) && isCompared(to));
  return {
    left,
    received: Object.fromEntries(received.map(({ id, received }) => [id, received])),
    wires: Object.fromEntries(taken.map(({ from, port, to, count }) => [`${from} ${port} ${to}`, count])),
  };
}

function ofLive({ left, received, wires }: Moved, flows: readonly FlowNode[]): Verdict {
  const isCompared = comparedOf(flows);
  const all = (counts: Record<string, number>, ends: (key: string) => string[]) =>
    Object.fromEntries(Object.entries(counts).filter(([key]) => ends(key).every(isCompared)));
  return {
    left: Object.fromEntries(Object.entries(left).map(([id, messages]) => [id, messages.map(shown)])),
    received: all(received, (id) => [id]),
    wires: all(wires, (wire) => {
      const [from = "", , to = ""] = wire.split(" ");
      return [from, to];
    }),
  };
}

/** Wires to and from a subflow have other ids live: what comes out of it reaches sinks. */
function comparedOf(flows: readonly FlowNode[]): (id: string) => boolean {
  const uses = new Set(flows.filter(({ type }) => type.startsWith("subflow")).map(({ id }) => id));
  const inner = new Set(flows.filter(({ z }) => z !== undefined && uses.has(z)).map(({ id }) => id));
  return (id) => !uses.has(id) && !inner.has(id) && flows.some((node) => node.id === id);
}

function shown({ payload, topic, crec = {} }: Left): unknown {
  const { offset, channelId, alert, verification } = crec as Record<string, unknown>;
  return JSON.parse(JSON.stringify({ payload, topic, offset, channelId, alert, verification }));
}
