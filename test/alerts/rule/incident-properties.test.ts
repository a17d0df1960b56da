import fc from "fast-check";
import should from "should";
import type { AlertOutcome, AlertWhen } from "../../../src/alerts/types.ts";
import { makeRule, START } from "./make-rule.ts";

type Event = { at: number; matches: boolean };
type World = { when: AlertWhen; quietMs: number; recovers: boolean; events: Event[]; ticks: number[] };

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
    ),
  );
const worlds: fc.Arbitrary<World> = fc.record({
  when: kinds,
  quietMs: fc.constantFrom(0, 1, 10, 60),
  recovers: fc.boolean(),
  events: fc
    .array(fc.record({ at: fc.nat(200), matches: fc.boolean() }), { maxLength: 40 })
    .map((all) => all.sort((one, other) => one.at - other.at)),
  /** How far apart the times are that are read; the last one again and again. */
  ticks: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
});

/** Whether the condition holds at a time, by all events up to then: what a person would see who looks at the chain. */
function isTrueAt({ when, events }: World, time: number): boolean {
  const past = events.filter(({ at }) => at <= time);
  const matching = past.filter(({ matches }) => matches);
  if (when.kind === "each") return past.at(-1)?.matches ?? false;
  if (when.kind === "absence") return time - (matching.at(-1)?.at ?? 0) >= when.forMs;
  if (when.kind !== "count") throw new Error(when.kind);
  return matching.filter(({ at }) => at > time - when.withinMs).length >= when.times;
}

/** What was told by a time, with the time at which that was. */
type Message = { outcome: AlertOutcome; by: number };

async function messagesOf(world: World, more: { own: (event: Event, passed?: string) => void }) {
  const { when, quietMs, recovers, events, ticks } = world;
  const { rule } = makeRule(when, { quietMs, recovers });
  const messages: Message[] = [];
  const states: Array<{ by: number; message: AlertOutcome | undefined }> = [];
  let given = 0;
  await rule.readUpTo(START);
  for (let [time, index] = [0, 0]; time <= END; index += 1) {
    for (; given < events.length && Number(events[given]?.at) <= time; given += 1) {
      const event = events[given] as Event;
      const input = { key: "", at: START + event.at, id: `${given}`, matches: event.matches };
      const { passed, outcomes } = await rule.accept(input);
      if (event.matches) more.own(event, passed);
      messages.push(...outcomes.map((outcome) => ({ outcome, by: time })));
    }
    messages.push(...(await rule.readUpTo(START + time)).map((outcome) => ({ outcome, by: time })));
    states.push({ by: time, message: messages.at(-1)?.outcome });
    time += ticks[index % ticks.length] ?? 1;
  }
  return { messages, states };
}

describe("AlertRule: what people were told, against a model that sees everything", () => {
  it("the last message states what was true at most a quiet time ago", () =>
    fc.assert(
      fc.asyncProperty(worlds, async (given) => {
        const world = { ...given, recovers: true };
        const { states } = await messagesOf(world, { own: () => {} });
        for (const { by, message } of states) {
          const told = message?.kind === "alert";
          let from = by;
          while (from >= 0 && isTrueAt(world, from) !== told) from -= 1;
          should(by - from).be.belowOrEqual(
            given.quietMs,
            `told ${told} at ${by}, which is wrong since ${from}`,
          );
        }
      }),
      { numRuns: 400 },
    ));

  it("each match is told: as a message, or in the number of one", () =>
    fc.assert(
      fc.asyncProperty(worlds, async (given) => {
        const world = given.recovers ? { ...given, when: { kind: "each" } as const } : given;
        fc.pre(world.when.kind !== "absence" && !(world.recovers && world.quietMs === 0));
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
      { numRuns: 200 },
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
      { numRuns: 200 },
    ));
});
