import fc from "fast-check";
import should from "should";
import type { AlertOutcome, AlertWhen } from "../../../src/alerts/types.ts";
import { sized } from "../../support/variants.ts";
import { itWide } from "../../support/wide.ts";
import { makeRule, START } from "./make-rule.ts";

/** `late`: how long after its time it arrives, if the slack is as long. */
type Event = { at: number; matches: boolean; amount: number; late: number };
type Rate = Extract<AlertWhen, { kind: "rate" }>;
type World = {
  when: AlertWhen;
  maxMarks?: number;
  end?: number;
  quietMs: number;
  slackMs: number;
  recovers: boolean;
  events: Event[];
  ticks: number[];
};

const END = 400;
const kinds: fc.Arbitrary<AlertWhen> = fc
  .integer({ min: 1, max: 30 })
  .chain((ms) =>
    fc.constantFrom<AlertWhen>(
      { kind: "each" },
      { kind: "each" },
      { kind: "count", times: 1, withinMs: ms },
      { kind: "count", times: 3, withinMs: ms },
      { kind: "absence", forMs: ms },
      { kind: "rate", factor: 2, least: 2, withinMs: ms, comparedMs: 2 * ms },
      { kind: "sum", field: "", limit: "9", withinMs: ms },
      { kind: "sum", field: "", limit: "-3", is: "atMost", withinMs: ms },
      { kind: "sum", field: "", limit: "4", is: "atMost", withinMs: ms },
    ),
  );
const worlds: fc.Arbitrary<World> = fc.record({
  when: kinds,
  quietMs: fc.constantFrom(0, 1, 10, 60),
  slackMs: fc.constant(0),
  recovers: fc.boolean(),
  events: fc
    .array(
      fc.record({
        at: fc.nat(200),
        matches: fc.boolean(),
        amount: fc.integer({ min: -9, max: 9 }),
        late: fc.nat(20),
      }),
      {
        maxLength: 40,
      },
    )
    .map((all) => all.sort((one, other) => one.at - other.at)),
  /** How far apart the times are that are read; the last one again and again. */
  ticks: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
});

const arrivesAt = ({ slackMs }: World, { at, late }: Event) => at + Math.min(late, slackMs);

/**
 * Whether the condition was this within the last `forMs`, by what a person knew who saw all that had arrived by then, or
 * at any time since. Each event may leave its window late by up to `lateMs`.
 */
function wasLately(
  world: World,
  value: boolean,
  { now, forMs, lateMs = 0 }: { now: number; forMs: number; lateMs?: number },
): boolean {
  const times = numbers(Math.max(now - forMs, 0), now);
  const wasBy = (time: number, by: number) => {
    const events = world.events.filter((event) => arrivesAt(world, event) <= by);
    return canBeAt({ ...world, events }, time, value, lateMs);
  };
  return (
    times.some((time) => isBothAt(world, time) || wasBy(time, now) || wasBy(time, time)) ||
    times.some((time) => numbers(time + 1, now - 1).some((by) => wasBy(time, by)))
  );
}

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);

/** Several events of one time can make it both, in that moment; of the newest state, until the next one. */
function isBothAt({ when, events }: World, time: number): boolean {
  const last = Math.max(...events.filter(({ at }) => at <= time).map(({ at }) => at));
  return (
    when.kind !== "absence" &&
    (last === time || when.kind === "each") &&
    events.filter(({ at }) => at === last).length > 1
  );
}

/** What may have left late counts only where that makes it so. */
function canBeAt(world: World, time: number, value: boolean, lateMs: number): boolean {
  const { when } = world;
  if (isTrueAt(world, time) === value) return true;
  if (when.kind !== "sum" && when.kind !== "count") return false;
  const from = time - when.withinMs;
  const favours = ({ amount }: Event) =>
    when.kind === "count" ? value : (when.is === "atMost") === value ? amount < 0 : amount > 0;
  const events = world.events
    .filter((event) => event.at > from || (event.at > from - lateMs && favours(event)))
    .map((event) => (event.at > from ? event : { ...event, at: time }));
  return isTrueAt({ ...world, events }, time) === value;
}

function isTrueAt({ when, events }: World, time: number): boolean {
  const past = events.filter(({ at }) => at <= time);
  const matching = past.filter(({ matches }) => matches);
  if (when.kind === "each") return past.at(-1)?.matches ?? false;
  if (when.kind === "absence") return time - (matching.at(-1)?.at ?? 0) >= when.forMs;
  if (when.kind === "sum") {
    const inWindow = matching.filter(({ at }) => at > time - when.withinMs);
    const sum = inWindow.reduce((total, { amount }) => total + amount, 0);
    return inWindow.length > 0 && (when.is === "atMost" ? sum <= +when.limit : sum >= +when.limit);
  }
  if (when.kind === "rate") return isAboveUsual(when, matching, time);
  return matching.filter(({ at }) => at > time - when.withinMs).length >= when.times;
}

/** From an event that makes it so, until too many of those that it came with have left. */
function isAboveUsual({ factor, least, withinMs, comparedMs }: Rate, events: readonly Event[], time: number) {
  return events.some(({ at: end }) => {
    const from = end - withinMs;
    if (from < comparedMs) return false;
    const before = events.filter(({ at }) => at >= from - comparedMs && at < from).length;
    const left = events.filter(({ at }) => at > time - withinMs && at > from && at <= end).length;
    return left >= least && left > (factor * before * withinMs) / comparedMs;
  });
}

/** What was told by a time, with the time at which that was. */
type Message = { outcome: AlertOutcome; by: number };

async function messagesOf(world: World, more: { own: (event: Event, passed?: string) => void }) {
  const { when, quietMs, slackMs, recovers, ticks, maxMarks = 1_000, end = END } = world;
  const { rule } = makeRule(when, { quietMs, slackMs, recovers, maxMarks });
  const arrival = (event: Event) => arrivesAt(world, event);
  const events = world.events.toSorted((one, other) => arrival(one) - arrival(other));
  const messages: Message[] = [];
  const states: Array<{ by: number; message: AlertOutcome | undefined }> = [];
  let given = 0;
  await rule.readUpTo(START);
  for (let [time, index] = [0, 0]; time <= end; index += 1) {
    for (; given < events.length && arrival(events[given] as Event) <= time; given += 1) {
      const event = events[given] as Event;
      const { at, matches, amount } = event;
      const input = { key: "", at: START + at, id: `${given}`, matches, amount: `${amount}` };
      const { passed, outcomes } = await rule.accept(input);
      if (event.matches) more.own(event, passed);
      messages.push(...outcomes.map((outcome) => ({ outcome, by: time })));
    }
    messages.push(...(await rule.readUpTo(START + time - slackMs)).map((outcome) => ({ outcome, by: time })));
    states.push({ by: time, message: messages.at(-1)?.outcome });
    time += ticks[index % ticks.length] ?? 1;
  }
  return { messages, states };
}

describe("AlertRule: what people were told, against a model that sees everything", () => {
  /** In whatever order events arrive within the slack. */
  it("the last message states what was true at most a quiet time and the slack ago", () =>
    fc.assert(
      fc.asyncProperty(worlds, fc.constantFrom(0, 0, 5, 20), async (given, slackMs) => {
        const world = { ...given, slackMs, recovers: true };
        const { states } = await messagesOf(world, { own: () => {} });
        for (const { by, message } of states) {
          const told = message?.kind === "alert";
          const isRight = wasLately(world, told, { now: by, forMs: given.quietMs + slackMs });
          should(isRight).be.true(`told ${told} at ${by}, which was not so lately`);
        }
      }),
      { numRuns: sized(130, 400) },
    ));

  const DENSE = { end: 2_000, withinMs: 400 };
  const denseKinds = fc
    .integer({ min: 1, max: 40 })
    .chain((part) =>
      fc.constantFrom<AlertWhen>(
        { kind: "count", times: 10 * part, withinMs: DENSE.withinMs },
        { kind: "sum", field: "", limit: `${40 * part}`, withinMs: DENSE.withinMs },
        { kind: "sum", field: "", limit: `${10 * part}`, is: "atMost", withinMs: DENSE.withinMs },
        { kind: "sum", field: "", limit: `${-10 * part}`, is: "atMost", withinMs: DENSE.withinMs },
      ),
    );
  /** Stretches of time, in each of which amounts are alike. */
  const stretches = fc.array(
    fc.record({
      lasts: fc.integer({ min: 50, max: 500 }),
      each: fc.constantFrom(1, 1, 1, 2, 3),
      least: fc.integer({ min: -4, max: 4 }),
      amounts: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
      late: fc.nat(40),
    }),
    { minLength: 8, maxLength: 12 },
  );
  const eventsOf = (all: typeof stretches extends fc.Arbitrary<infer All> ? All : never) => {
    const events: Event[] = [];
    let at = 0;
    for (const { lasts, each, least, amounts, late } of all) {
      for (const until = Math.min(at + lasts, DENSE.end - 300); at < until; at += each) {
        const amount = least + (amounts[at % amounts.length] ?? 0);
        events.push({ at, matches: true, amount, late: (at * 7) % (late + 1) });
      }
    }
    return events;
  };

  itWide("of more times than marks, each counts at most a hundredth of the window longer", () =>
    fc.assert(
      fc.asyncProperty(
        denseKinds,
        stretches,
        fc.constantFrom(0, 0, 20),
        fc.constantFrom(0, 40),
        async (when, all, quietMs, slackMs) => {
          const rest = { quietMs, slackMs, recovers: true, ticks: [3, 8, 5], end: DENSE.end };
          const world: World = { when, events: eventsOf(all), maxMarks: 400, ...rest };
          const { states } = await messagesOf(world, { own: () => {} });
          const lateMs = Math.floor(DENSE.withinMs / 128);
          for (const { by, message } of states) {
            const told = message?.kind === "alert";
            const isRight = wasLately(world, told, { now: by, forMs: quietMs + slackMs, lateMs });
            should(isRight).be.true(`told ${told} at ${by}, which was not so lately`);
          }
        },
      ),
      { numRuns: sized(10, 30) },
    ),
  );

  it("each match is told: as a message, or in the number of one", () =>
    fc.assert(
      fc.asyncProperty(worlds, async (given) => {
        const world = given.recovers ? { ...given, when: { kind: "each" } as const } : given;
        // These also match by time alone.
        fc.pre(
          world.when.kind !== "absence" &&
            world.when.kind !== "sum" &&
            !(world.recovers && world.quietMs === 0),
        );
        let [own, held] = [0, 0];
        const { messages } = await messagesOf(world, {
          own: (_event, passed) => {
            if (passed === undefined) own += 1;
            else if (passed === "quiet") held += 1;
          },
        });
        const alerts = messages.flatMap(({ outcome }) => (outcome.kind === "alert" ? [outcome.alert] : []));
        const numbers = alerts.reduce((sum, { suppressed }) => sum + suppressed, 0);
        const ends = messages.some(({ outcome }) => outcome.kind === "recovered");
        // What was counted before an end is in the next alert, if there is one.
        if (ends) should(numbers).be.belowOrEqual(held);
        else should(numbers).equal(held);
        should(alerts.filter(({ reminder }) => reminder === undefined).length).be.belowOrEqual(own);
      }),
      { numRuns: sized(70, 200) },
    ));

  it("one alert has one id: it opens once, its reminders are numbered, and it ends once", () =>
    fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { messages } = await messagesOf(world, { own: () => {} });
        const seen = new Set<string>();
        let open: string | undefined;
        let reminders = 0;
        for (const { outcome } of messages) {
          const { id, reminder } = outcome.alert;
          if (outcome.kind !== "alert") {
            should(id).equal(open);
            open = undefined;
          } else if (reminder === undefined) {
            should(seen.has(id)).be.false();
            if (world.recovers) should(open).be.undefined();
            seen.add(id);
            [open, reminders] = [id, 0];
          } else {
            should(id).equal(open);
            reminders += 1;
            should(reminder).equal(reminders);
          }
        }
      }),
      { numRuns: sized(70, 200) },
    ));
});
