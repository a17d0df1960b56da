import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import should from "should";
import { Timed, timeOf } from "../../rehearsal/parent/events/event-time.ts";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { jobOf, rehearse } from "../support/rehearsal.ts";
import { itWide } from "../support/wide.ts";
import { channelOf, configOf, type MadeChannel, pastOf, snapshotOf } from "./support/signed-events.ts";

const IDS = ["7e77863e-8c8d-44b2-a0e0-45cad1325017", "0b0f0b30-5e0c-4a39-8b0c-9b1f9a3c8d11"] as const;
const START = Date.UTC(2020, 0, 1) / 1000;
const YEAR = 365 * 24 * 3_600;

function on(id: string, type: string, wires: string[][], more: Record<string, unknown>): FlowNode {
  return { id, type, z: "tab", x: 1, y: 1, wires, ...more };
}

const made = (at: number) => ({
  ...{
    at,
    blockAge: 0,
    value: 1,
    name: "Transfer" as const,
    token: 0 as const,
    confidence: "latest" as const,
  },
  ...{ isForged: false, isStatus: false, isAgain: false },
});

/** Two nodes of the first channel and one of the second send to one sink. */
function flowsFor(channels: readonly MadeChannel[]): FlowNode[] {
  const reader = (id: string, channel: string) =>
    on(id, "crec-events-in", [["mark", id], [], []], { channel, consumer: id, types: [], verify: false });
  const sink = (id: string) => on(id, "mqtt out", [], { topic: id, broker: "broker" });
  return [
    { id: "tab", type: "tab", label: "Tab" },
    ...configOf("", "http://service.invalid", channels),
    ...[reader("one", "channel0"), reader("two", "channel0"), reader("three", "channel1")],
    on("mark", "function", [["sink"]], { func: "msg.now = Date.now(); return msg;", outputs: 1, libs: [] }),
    sink("sink"),
  ];
}

function seen({ outcomes }: Report, id: string) {
  return outcomes
    .filter(({ node, kind }) => node === id && kind === "sent")
    .map(({ at, event }) => [
      at / 1000 - START,
      IDS.indexOf(event?.channelId as (typeof IDS)[number]),
      event?.offset,
    ]);
}

/** Times of events are not always in order, and not always times. */
describe("the time of a rehearsal", () => {
  it("never goes back, keeps the order of a channel, and merges channels, over years", async () => {
    const times = [
      [5, 5, 3, 9, 9 + YEAR, 2, 9 + 3 * YEAR],
      [0, 4, 4, 8, 1, 10 + YEAR],
    ];
    const channels = times.map((all, index) =>
      channelOf(IDS[index] ?? "", `channel-${index}`, START, all.map(made)),
    );
    const span = { from: START * 1000, to: (START + 2 * YEAR) * 1000 };
    const job = jobOf(flowsFor(channels), { snapshot: snapshotOf(channels), span });
    const report = await rehearse(job, pastOf(channels, START));
    const expected = [
      [0, 1, 1],
      [4, 1, 2],
      [4, 1, 3],
      [5, 0, 1],
      [5, 0, 2],
      [5, 0, 3],
      [8, 1, 4],
      [8, 1, 5],
      [9, 0, 4],
      [9 + YEAR, 0, 5],
      [9 + YEAR, 0, 6],
      [10 + YEAR, 1, 6],
      // The last one is after the end.
    ];
    // Each event of the first channel is sent by both of its nodes.
    should(seen(report, "sink")).deepEqual(expected.flatMap((one) => (one[1] === 0 ? [one, one] : [one])));
    for (const { at, node, message } of report.outcomes)
      if (node === "sink") should((message as { now: number }).now).equal(at);
  });

  itWide("has the same event of two channels once in each", async () => {
    const [first] = [channelOf(IDS[0], "channel-0", START, [made(1)])];
    const second = { id: IDS[1], name: "channel-1", events: first.events };
    const channels = [first, second];
    const span = { from: START * 1000, to: (START + 10) * 1000 };
    const job = jobOf(flowsFor(channels), { snapshot: snapshotOf(channels), span });
    const report = await rehearse(job, pastOf(channels, START));
    should(seen(report, "sink")).deepEqual([
      [1, 0, 1],
      [1, 0, 1],
      [1, 1, 1],
    ]);
    should(report.channels.map(({ events }) => events)).deepEqual([1, 1]);
  });

  itWide("stops at the end of the span, also with later events", async () => {
    const channels = [[1, 5, 9], []].map((all, index) =>
      channelOf(IDS[index] ?? "", `channel-${index}`, START, all.map(made)),
    );
    const span = { from: START * 1000, to: (START + 5) * 1000 };
    const job = jobOf(flowsFor(channels), { snapshot: snapshotOf(channels), span });
    const report = await rehearse(job, pastOf(channels, START));
    should(report.events.read).equal(2);
    should(seen(report, "one")).deepEqual([]);
    should(seen(report, "sink").map(([at]) => at)).deepEqual([1, 1, 5, 5]);
  });

  it("is that of the event before where an event has none, or an absurd one", () => {
    const event = (created_at: unknown, timestamp?: unknown) =>
      ({
        event_id: "e",
        created_at,
        headers: { type: "x", offset: 1, proofs: [] },
        payload: { timestamp },
      }) as unknown as ChannelEvent;
    for (const none of [undefined, null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, "then", 1e18, 1e300]) {
      should(timeOf(event(none))).equal(undefined);
      should(timeOf(event(none, 1_700_000_000))).equal(1_700_000_000_000);
      const timed = new Timed("channel", 7);
      should(timed.stated(event(none))).equal(7);
    }
  });

  for (const [season, from, test] of [
    ["spring", Date.UTC(2026, 2, 27), itWide],
    ["autumn", Date.UTC(2026, 9, 23), it],
  ] as const) {
    test(`has local times as cron has them live, when the clocks change in ${season}`, async () => {
      const to = from + 5 * 24 * 3_600_000;
      const rules = ["30 2 * * *", "15 2,3 * * *", "0 */6 * * *"];
      const flows = [
        { id: "tab", type: "tab", label: "Tab" } as FlowNode,
        ...rules.flatMap((crontab, index) => [
          on(`inject-${index}`, "inject", [[`sink-${index}`]], {
            props: [],
            repeat: "",
            crontab,
            once: false,
          }),
          on(`sink-${index}`, "mqtt out", [], { topic: "cron", broker: "broker" }),
        ]),
      ];
      const report = await rehearse(jobOf(flows, { span: { from, to }, timeZone: "Europe/Berlin" }));
      const live = cronTimes(rules, from, to);
      for (const [index, times] of live.entries()) {
        const at = report.outcomes.filter(({ node }) => node === `sink-${index}`).map((one) => one.at);
        should(at.map((time) => new Date(time).toISOString())).deepEqual(times);
      }
    });
  }
});

/** What cronosjs, which Node-RED uses, computes in a process of that time zone. */
function cronTimes(rules: readonly string[], from: number, to: number): string[][] {
  const require = createRequire(import.meta.url);
  const code = `
    const { CronosExpression } = require(${JSON.stringify(require.resolve("cronosjs"))});
    const all = ${JSON.stringify(rules)}.map((rule) => {
      const times = [];
      const expression = CronosExpression.parse(rule);
      for (let at = expression.nextDate(new Date(${from})); at <= ${to}; at = expression.nextDate(at)) times.push(at.toISOString());
      return times;
    });
    console.log(JSON.stringify(all));`;
  const env = { ...process.env, TZ: "Europe/Berlin" };
  return JSON.parse(execFileSync(process.execPath, ["-e", code], { env, encoding: "utf8" })) as string[][];
}
