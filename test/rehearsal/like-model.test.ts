import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import should from "should";
import { type FlowNode, REPORT_LIMITS } from "../../rehearsal/shared/job.ts";
import type { Outcome, Report } from "../../rehearsal/shared/report.ts";
import { naiveAlerts, naiveStates } from "../alerts/rule/naive.ts";
import { jobOf, rehearse } from "../support/rehearsal.ts";
import { sized } from "../support/variants.ts";
import { channelOf, configOf, pastOf, snapshotOf } from "./support/signed-events.ts";
import * as model from "./support/timer-models.ts";

const numRuns = Number(process.env.REHEARSAL_RUNS ?? sized(3, 60));
const TIMEOUT_MS = Math.max(120_000, numRuns * 6_000);
/** With the same events. An absence counts while no node of its channel waits for anything: alerts have one alone. */
const CHANNELS = ["7e77863e-8c8d-44b2-a0e0-45cad1325017", "0b0f0b30-5e0c-4a39-8b0c-9b1f9a3c8d11"];
/** Unix seconds. */
const START = Date.UTC(2026, 0, 5, 8) / 1000;

const seconds = fc.integer({ min: 1, max: 40 });
const RULES = fc.record({
  times: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 30 }),
  withinMs: seconds,
  quietMs: fc.constantFrom(0, 0, 5, 20, 200),
});
const SETTINGS = fc.record({
  delay: seconds,
  rate: seconds,
  trigger: seconds,
  extend: fc.boolean(),
  interval: seconds,
  group: seconds,
  repeat: seconds,
  first: fc.option(seconds, { nil: undefined }),
  ackTimeout: seconds,
  attempts: fc.integer({ min: 1, max: 4 }),
  places: fc.integer({ min: 1, max: 3 }),
  rule: RULES,
  state: RULES,
  absentFor: seconds,
  recovers: fc.boolean(),
  absenceQuiet: fc.constantFrom(0, 0, 30),
  /** After the last event. */
  rest: fc.nat(100),
});
type Settings = typeof SETTINGS extends fc.Arbitrary<infer T> ? T : never;

const EVENTS = fc.array(fc.record({ gap: fc.nat(30), value: fc.nat(9) }), { maxLength: 15 }).map((all) => {
  let at = 0;
  return all.map(({ gap, value }, index) => {
    at += index === 0 ? gap + 1 : gap;
    return { at, value };
  });
});

describe("a rehearsal of nodes that wait", function () {
  this.timeout(TIMEOUT_MS);

  it("sends at the times of a model, for random settings and events", () =>
    fc.assert(
      fc.asyncProperty(EVENTS, SETTINGS, async (events, settings) => {
        const end = (events.at(-1)?.at ?? 0) + settings.rest;
        const [done, wanted] = [await rehearsed(events, settings, end), expected(events, settings, end)];
        const differing = Object.keys(wanted).filter(
          (key) => !isDeepStrictEqual(done[key as keyof typeof done], wanted[key as keyof typeof wanted]),
        );
        const of = (all: Record<string, unknown>) => differing.map((key) => [key, all[key]]);
        should(of(done)).deepEqual(of(wanted));
      }),
      { numRuns, interruptAfterTimeLimit: 0.9 * TIMEOUT_MS, markInterruptAsFailure: numRuns < 50 },
    ));
});

function expected(events: readonly model.Happening[], settings: Settings, end: number) {
  const { attempts, ackTimeout, places, rule, state, absentFor } = settings;
  const { times, limit, withinMs, quietMs } = rule;
  const given = events.map(({ at, value }, index) => ({ id: `${index}`, at, amount: value }));
  const byTimeOut = Array.from({ length: attempts }, () => ackTimeout);
  // 1 s after the first attempt, and twice as long after each further one. After the last one it is rejected at once.
  const byFailure = byTimeOut.map((_, index) => (index === attempts - 1 ? 0 : 2 ** index));
  const { recovers, absenceQuiet: quiet } = settings;
  const timeOut = model.unanswered(events, { gaps: byTimeOut, places }, end);
  const failure = model.unanswered(events, { gaps: byFailure, places }, end);
  return {
    delay: model.delayed(events, { seconds: settings.delay }, end),
    rate: model.limited(events, { seconds: settings.rate }, end),
    drop: model.dropped(events, { seconds: settings.rate }, end),
    trigger: model.triggered(events, { seconds: settings.trigger, extend: settings.extend }, end),
    batch: model.batched(events, { seconds: settings.interval }, end),
    join: model.joined(events, { seconds: settings.group }, end),
    repeat: model.repeated({ seconds: settings.repeat, first: settings.first }, end),
    "time-out": timeOut.sent,
    "time-out-rejected": timeOut.rejected,
    fails: failure.sent,
    "fails-rejected": failure.rejected,
    count: naiveAlerts({ times, withinMs, quietMs }, given).map(withoutSuppressed),
    sum: naiveAlerts({ limit, withinMs, quietMs }, given).map(withoutSuppressed),
    state: naiveStates(state, given, end).filter((change) => isTold(change, end)),
    absence: model
      .absent(events, { seconds: absentFor, recovers, quiet, start: WATCHED, slack: SLACK }, end)
      .map(([at, kind]) => `${kind} at ${Math.floor(at)}`),
  };
}

/** An alert is told by its event, at once. */
function isTold(change: string, end: number): boolean {
  return change.startsWith("alert") || Number(change.split(" ").at(-1)) <= end - SLACK;
}

/** How many were held back is forgotten with the key, when nothing of it can count any more. */
function withoutSuppressed(verdict: string): string {
  return verdict.replace(/ suppressed \d+$/, "");
}

/** An event may be so many seconds later than its block: the end of a window or an absence is told so much later. */
const SLACK = 1;
/** From when on an absence is watched: the first timer of the alert node runs after a millisecond. */
const WATCHED = 0.001 - SLACK;

async function rehearsed(events: readonly model.Happening[], settings: Settings, end: number) {
  const made = events.map(({ at, value }) => ({
    ...{
      at,
      value,
      blockAge: 0,
      name: "Transfer" as const,
      token: 0 as const,
      confidence: "finalized" as const,
    },
    ...{ isForged: false, isStatus: false, isAgain: false },
  }));
  const channels = CHANNELS.map((id, index) => channelOf(id, `waits-${index}`, START, made));
  const flows = [...configOf("", "http://service.invalid", channels), ...flowsOf(settings)];
  const span = { from: START * 1000, to: (START + end) * 1000 };
  const limits = { ...REPORT_LIMITS, messageBytes: 100_000 };
  const report = await rehearse(
    jobOf(flows, { snapshot: snapshotOf(channels), span, limits }),
    pastOf(channels, START),
  );
  const values = ["delay", "rate", "drop", "batch"];
  const repeatedly = ["time-out", "time-out-rejected", "fails", "fails-rejected"];
  return {
    ...Object.fromEntries(values.map((id) => [id, sentTo(report, id, amountOf)])),
    ...Object.fromEntries(repeatedly.map((id) => [id, model.inOrder(sentTo(report, id, amountOf))])),
    trigger: sentTo(report, "trigger", ({ payload }) => payload),
    join: sentTo(report, "join", ({ payload }) => (payload.params as { value: string[] }).value.map(Number)),
    repeat: sentTo(report, "repeat", () => undefined),
    count: sentTo(report, "count", verdictOf).map(([, verdict]) => verdict),
    sum: sentTo(report, "sum", verdictOf).map(([, verdict]) => verdict),
    state: sentTo(report, "state", changeOf).flatMap(([, change]) => change ?? []),
    absence: sentTo(report, "absence", changeOf).flatMap(([, change]) => change ?? []),
  };
}

type Message = { payload: Record<string, unknown>; crec?: { alert?: { passed?: string } } };

/** What reached a sink, and when. */
function sentTo({ outcomes }: Report, sink: string, read: (message: Message) => unknown): model.Sent[] {
  const sent = outcomes.filter(({ kind, node }) => kind === "sent" && node === sink);
  return sent.map(({ at, message }: Outcome): model.Sent => {
    const value = read(message as Message);
    const time = at / 1000 - START;
    return value === undefined ? [time] : [time, value];
  });
}

function amountOf({ payload }: Message): number {
  return Number((payload.params as { value: string }).value);
}

/** Whole seconds: the time is looked at in intervals of a quarter of a second. */
const secondOf = ({ payload }: Message) => Math.floor(Date.parse(String(payload.at)) / 1000) - START;

/** In the words of the model. */
function verdictOf(message: Message): unknown {
  const { kind, count, sum } = message.payload;
  if (kind !== "alert") return message.crec?.alert?.passed;
  return [
    `alert at ${secondOf(message)}`,
    ...(count === 1 ? [] : [`count ${count}`]),
    ...(sum === undefined ? [] : [`sum ${sum}`]),
  ].join(" ");
}

function changeOf(message: Message): unknown {
  const { kind } = message.payload;
  return kind === undefined ? undefined : `${kind} at ${secondOf(message)}`;
}

function flowsOf(settings: Settings): FlowNode[] {
  const { delay, rate, trigger, extend, interval, group, repeat, first } = settings;
  const { rule, state, absentFor, recovers, absenceQuiet, attempts, ackTimeout, places } = settings;
  const { times, limit, withinMs, quietMs } = rule;
  const given = { channel: "channel0", types: [], verify: false, start: "beginning", startValue: "" };
  const limited = { pauseType: "rate", rate: "1", nbRateUnits: String(rate), rateUnits: "second" };
  const waiting = { ackTimeout: String(ackTimeout), attempts: String(attempts), inFlight: String(places) };
  const alert = { version: 1, match: "all", conditions: [], takenBack: false, slack: `${SLACK}s`, title: "" };
  return [
    { id: "tab", type: "tab", label: "Tab" },
    on("events", "crec-events-in", [[...WAITING], [], []], { ...given, consumer: "all", commit: "on-send" }),
    on("alerted", "crec-events-in", [[...ALERTS], [], []], {
      ...{ ...given, channel: "channel1", consumer: "alerted", commit: "on-send" },
    }),
    on("acked", "crec-events-in", [["time-out"], ["time-out-rejected"], []], {
      ...{ ...given, ...waiting, consumer: "acked", commit: "on-ack" },
    }),
    on("completed", "crec-events-in", [["fails", "fail"], ["fails-rejected"], []], {
      ...{ ...given, ...waiting, consumer: "completed", commit: "on-complete", ackTimeout: "1000" },
    }),
    on("fail", "function", [[]], { func: "throw new Error('never');", outputs: 1, libs: [] }),
    on("do-delay", "delay", [["delay"]], {
      pauseType: "delay",
      timeout: String(delay),
      timeoutUnits: "seconds",
    }),
    on("do-rate", "delay", [["rate"]], { ...limited, drop: false }),
    on("do-drop", "delay", [["drop"]], { ...limited, drop: true }),
    on("do-trigger", "trigger", [["trigger"]], {
      ...{ op1: "first", op1type: "str", op2: "then", op2type: "str", duration: String(trigger), units: "s" },
      ...{ extend, overrideDelay: false, reset: "", bytopic: "all", outputs: 1 },
    }),
    on("do-batch", "batch", [["batch"]], {
      mode: "interval",
      interval: String(interval),
      allowEmptySequence: false,
    }),
    on("do-join", "join", [["join"]], {
      ...{
        mode: "custom",
        build: "array",
        property: "payload.params.value",
        propertyType: "msg",
        key: "topic",
      },
      ...{ accumulate: false, count: "", timeout: String(group), joiner: "", joinerType: "str" },
    }),
    on("do-repeat", "inject", [["repeat"]], {
      ...{
        props: [],
        repeat: String(repeat),
        crontab: "",
        once: first !== undefined,
        onceDelay: String(first ?? 0.1),
      },
    }),
    on("do-count", "crec-alert", [["count"], ["count"], ["count"]], {
      ...{ ...alert, when: "count", times: String(times), within: `${withinMs}s`, quiet: `${quietMs}s` },
    }),
    on("do-sum", "crec-alert", [["sum"], ["sum"], ["sum"]], {
      ...{ ...alert, when: "sum", sumField: "params.value", limit: String(limit), limitUnit: "smallest" },
      ...{ within: `${withinMs}s`, quiet: `${quietMs}s` },
    }),
    on("do-state", "crec-alert", [["state"], ["state"], []], {
      ...{
        ...alert,
        when: "count",
        times: String(state.times),
        within: `${state.withinMs}s`,
        recovers: true,
      },
      quiet: "",
    }),
    on("do-absence", "crec-alert", [["absence"], ["absence"], []], {
      ...{ ...alert, when: "absence", absentFor: `${absentFor}s`, recovers, quiet: `${absenceQuiet}s` },
      channel: "channel1",
    }),
    ...SINKS.map((id) => on(id, "mqtt out", [], { topic: id, broker: "broker" })),
  ];
}

const WAITING = ["do-delay", "do-rate", "do-drop", "do-trigger", "do-batch", "do-join"];
const ALERTS = ["do-count", "do-sum", "do-state", "do-absence"];
const SINKS = [
  ...["delay", "rate", "drop", "trigger", "batch", "join", "repeat", "count", "sum", "state", "absence"],
  ...["time-out", "time-out-rejected", "fails", "fails-rejected"],
];

function on(id: string, type: string, wires: string[][], more: Partial<FlowNode>): FlowNode {
  return { id, type, z: "tab", x: 1, y: 1, wires, ...more };
}
