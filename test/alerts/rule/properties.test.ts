import fc from "fast-check";
import should from "should";
import type { AlertRule } from "../../../src/alerts/index.ts";
import { AlertRule as Rule } from "../../../src/alerts/index.ts";
import { Cells } from "../../../src/alerts/rule/cells.ts";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import type { AlertRecord, AlertSettings, AlertStore, AlertWhen } from "../../../src/alerts/types.ts";
import { sized } from "../../support/variants.ts";
import { brief, each, makeRule, ruleIdOf, START, settingsWith } from "./make-rule.ts";
import { type Event, type Naive, naiveAlerts, naiveStates, reachedWindows } from "./naive.ts";

/** A store as another process sees it: what is read is new text each time. */
class JsonStore implements AlertStore {
  readonly isShared = true;
  readonly #texts = new Map<string, { revision: number; text: string }>();

  async read(key: string): Promise<AlertRecord | undefined> {
    const known = this.#texts.get(key);
    return known && { revision: known.revision, value: JSON.parse(known.text) };
  }

  async write(key: string, revision: number, value: unknown): Promise<boolean> {
    if ((this.#texts.get(key)?.revision ?? 0) !== revision) return false;
    if (value === undefined) this.#texts.delete(key);
    else this.#texts.set(key, { revision: revision + 1, text: JSON.stringify(value) });
    return true;
  }

  async keys(): Promise<string[]> {
    return [...this.#texts.keys()];
  }

  async close(): Promise<void> {}
}

const SPAN_MS = 60;
const events = fc
  .array(fc.record({ at: fc.nat(SPAN_MS), amount: fc.nat(9) }), { maxLength: 25 })
  .map((all) => all.map((one, index): Event => ({ ...one, id: `${index}` })));
const rules: fc.Arbitrary<Naive> = fc.record({
  times: fc.integer({ min: 1, max: 5 }),
  withinMs: fc.integer({ min: 1, max: 30 }),
  quietMs: fc.constantFrom(0, 0, 5, 20, 200),
});
const sums: fc.Arbitrary<Naive> = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  withinMs: fc.integer({ min: 1, max: 30 }),
  quietMs: fc.constantFrom(0, 0, 5, 20),
});
const bySome = fc.oneof(rules, sums);

const sorted = (all: readonly Event[]) => all.toSorted((one, other) => one.at - other.at);
const whenOf = (rule: Naive): AlertWhen =>
  "limit" in rule
    ? { kind: "sum", field: "", limit: `${rule.limit}`, withinMs: rule.withinMs }
    : { kind: "count", times: rule.times, withinMs: rule.withinMs };

const inputOf = ({ id, at, amount }: Event) => ({
  key: "",
  id,
  at: START + at,
  amount: `${amount}`,
  matches: true,
});

async function answers(
  rule: Naive,
  given: readonly Event[],
  more: Partial<AlertSettings> = {},
): Promise<string[]> {
  const { at } = makeRule(whenOf(rule), { quietMs: rule.quietMs, ...more });
  const all: string[] = [];
  for (const event of given) all.push(await at(event.at, inputOf(event)));
  return all;
}

describe("AlertRule: properties", () => {
  it("answers as a model that keeps all events, for events in their order", () =>
    fc.assert(
      fc.asyncProperty(bySome, events, async (rule, all) => {
        should(await answers(rule, sorted(all))).deepEqual(naiveAlerts(rule, sorted(all)));
      }),
      { numRuns: sized(100, 300) },
    ));

  it("raises an alert in any order within the slack, where a window reaches the limit, and only there", () =>
    fc.assert(
      fc.asyncProperty(bySome, events, fc.infiniteStream(fc.nat()), async (rule, all, order) => {
        const shuffled = all
          .map((event) => ({ event, place: order.next().value }))
          .sort((one, other) => one.place - other.place)
          .map(({ event }) => event);
        const raised = (await answers(rule, shuffled, { slackMs: SPAN_MS }))
          .map((answer) => Number(/alert at (\d+)/.exec(answer)?.[1] ?? Number.NaN))
          .filter(Number.isFinite);
        const windows = reachedWindows(rule, all);
        should(raised.length > 0).equal(windows.length > 0);
        // Each alert is of a window that reaches the limit.
        const near = (at: number, within: number) =>
          windows.some((window) => window.some((event) => Math.abs(event.at - at) < within));
        should(raised.filter((at) => !near(at, 1))).be.empty();
        // With a quiet time, none is close to another, and each window is close to one.
        if (rule.quietMs === 0) return;
        const tooClose = raised.filter((at, index) =>
          raised.some((other, place) => place !== index && Math.abs(at - other) < rule.quietMs),
        );
        should(tooClose).be.empty();
        const missed = windows.filter(
          (window) => !window.some(({ at }) => raised.some((other) => Math.abs(at - other) < rule.quietMs)),
        );
        should(missed).be.empty();
      }),
      { numRuns: sized(100, 300) },
    ));

  it("raises the same alerts for each event in any order", () =>
    fc.assert(
      fc.asyncProperty(events, async (all) => {
        const idsOf = async (given: readonly Event[]) => {
          const { rule } = makeRule({ kind: "each" });
          const ids: string[] = [];
          for (const event of given) {
            const { outcomes } = await rule.accept(inputOf(event));
            ids.push(...outcomes.map(({ alert }) => alert.id));
          }
          return ids.sort();
        };
        should(await idsOf(all)).deepEqual(await idsOf(sorted(all)));
      }),
      { numRuns: sized(20, 50) },
    ));

  it("is not changed by events that come again", () =>
    fc.assert(
      fc.asyncProperty(bySome, events, fc.infiniteStream(fc.nat(3)), async (rule, all, copies) => {
        const more = { slackMs: SPAN_MS };
        const again: Event[] = [];
        const expected: string[] = [];
        const once = await answers(rule, all, more);
        for (const [index, event] of all.entries()) {
          again.push(event);
          expected.push(String(once[index]));
          const earlier = all[copies.next().value];
          if (earlier === undefined || all.indexOf(earlier) > index) continue;
          again.push(earlier);
          expected.push("seen");
        }
        should(await answers(rule, again, more)).deepEqual(expected);
      }),
      { numRuns: sized(35, 100) },
    ));

  it("says when a window starts and stops reaching the limit, whenever it is asked", () =>
    fc.assert(
      fc.asyncProperty(rules, events, fc.infiniteStream(fc.nat(4)), async (rule, all, asked) => {
        if ("limit" in rule) return;
        const { rule: real } = makeRule(whenOf(rule), { recovers: true });
        const changes: string[] = [];
        const inOrder = sorted(all);
        for (const [index, event] of inOrder.entries()) {
          const { outcomes } = await real.accept(inputOf(event));
          changes.push(...outcomes.map(brief));
          const isLast = inOrder[index + 1]?.at !== event.at;
          if (isLast && asked.next().value === 0) {
            changes.push(...(await real.readUpTo(START + event.at)).map(brief));
          }
        }
        changes.push(...(await real.readUpTo(START + 500)).map(brief));
        should(changes.map((text) => text.replace(/ (?:count|suppressed).*/, ""))).deepEqual(
          naiveStates(rule, inOrder, 500),
        );
      }),
      { numRuns: sized(70, 200) },
    ));

  const ofCopies = (store: AlertStore, settings: AlertSettings): AlertRule =>
    new Rule({ id: ruleIdOf(settings), settings, store, now: () => START + 1_000_000 });

  /** Each kind that alerts of an input. A rate compares with a time in which there was nothing. */
  const kinds: fc.Arbitrary<AlertWhen> = fc
    .integer({ min: 1, max: 40 })
    .chain((withinMs) =>
      fc.constantFrom<AlertWhen>(
        { kind: "each" },
        { kind: "count", times: 2, withinMs },
        { kind: "sum", field: "", limit: "5", withinMs },
        { kind: "rate", factor: 1, least: 2, withinMs, comparedMs: 2 * withinMs },
      ),
    );
  const quietRules = fc.record({
    quietMs: fc.integer({ min: 1, max: 60 }),
    slackMs: fc.constantFrom(0, 10, 40, 120, 1_000),
    recovers: fc.boolean(),
    maxMarks: fc.constantFrom(2, 5, 1_000),
  });
  const longEvents = fc
    .array(fc.record({ at: fc.nat(200), amount: fc.nat(9) }), { minLength: 15, maxLength: 60 })
    .map((all) => all.map((one, index): Event => ({ ...one, id: `${index}` })));

  it("never raises two alerts of a key within the quiet time, whatever came late or was forgotten", () =>
    fc.assert(
      fc.asyncProperty(
        kinds,
        quietRules,
        longEvents,
        fc.infiniteStream(fc.nat(120)),
        async (when, more, all, delays) => {
          const { rule } = makeRule(when, more);
          const mostLate = more.recovers ? more.slackMs : Number.POSITIVE_INFINITY;
          const late = all
            .map((event) => ({ event, comes: event.at + Math.min(delays.next().value, mostLate) }))
            .sort((one, other) => one.comes - other.comes);
          const raised: number[] = [];
          for (const [index, { event, comes }] of late.entries()) {
            const matches = !more.recovers || when.kind !== "each" || event.amount < 6;
            const { outcomes } = await rule.accept({ ...inputOf(event), matches });
            const next = late[index + 1]?.comes ?? comes;
            if (index % 3 === 0) outcomes.push(...(await rule.readUpTo(START + next - more.slackMs - 1)));
            raised.push(...outcomes.flatMap((one) => (one.kind === "alert" ? [one.alert.at] : [])));
          }
          const inOrder = raised.sort((one, other) => one - other);
          // Where an end was told, one more may come soon after it, and its end is held back.
          const apart = more.recovers ? 2 : 1;
          const near = inOrder.filter((at, index) => at - Number(inOrder[index - apart]) < more.quietMs);
          should(near).be.empty();
        },
      ),
      { numRuns: sized(100, 300) },
    ));

  it("keeps what is late quiet, however many alerts there were since, and only what is near one", async () => {
    const steady = makeRule({ kind: "each" }, { quietMs: 10, slackMs: 100_000 });
    for (let ms = 0; ms < 24_000; ms += 10) should(await steady.at(ms)).equal(`alert at ${ms}`);
    should(await each([5, 15, 11_995, 23_985], steady.at)).deepEqual(["quiet", "quiet", "quiet", "quiet"]);
    const apart = makeRule({ kind: "each" }, { quietMs: 10, slackMs: 100_000 });
    for (let ms = 0; ms < 45_000; ms += 30) should(await apart.at(ms)).equal(`alert at ${ms}`);
    should(await each([5, 15, 24, 6_014], apart.at)).deepEqual([
      ...["quiet", "alert at 15 suppressed 1", "quiet", "alert at 6014 suppressed 1"],
    ]);
  });

  it("counts each amount less than a hundredth of a window late, however many times there are", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.record({ at: fc.nat(10_000), n: fc.integer({ min: 1, max: 3 }) }), {
          minLength: 500,
          maxLength: 1_500,
          size: "max",
        }),
        (withinMs, most, all) => {
          let cells = Cells.empty();
          for (const { at, n } of all) cells = cells.add({ at, n, sum: BigInt(n) }, { most, withinMs });
          const late = withinMs / 128;
          should(cells.sorted.length).be.belowOrEqual(Math.max(most, 2 * (10_000 / late + 1)));
          const upTo = (list: ReadonlyArray<{ at: number; n: number }>, time: number) =>
            list.reduce((sum, { at, n }) => (at <= time ? sum + n : sum), 0);
          for (let time = 0; time <= 10_000; time += 97) {
            should(upTo(cells.sorted, time)).be.within(upTo(all, time - late), upTo(all, time));
          }
          should(Cells.read(cells.journal).sorted).deepEqual(cells.sorted);
        },
      ),
      { numRuns: 10 },
    ));

  it("is not changed by a restart at any point", () =>
    fc.assert(
      fc.asyncProperty(bySome, fc.boolean(), events, async (rule, recovers, all) => {
        const settings = settingsWith(whenOf(rule), { quietMs: rule.quietMs, recovers, slackMs: 10 });
        const one = ofCopies(new MemoryAlertStore(), settings);
        const store = new JsonStore();
        for (const event of all) {
          const expected = [await one.accept(inputOf(event)), await one.readUpTo(START + event.at - 30)];
          const begun = ofCopies(store, settings);
          const accepted = await begun.accept(inputOf(event));
          const passed = await ofCopies(store, settings).readUpTo(START + event.at - 30);
          should([accepted, passed]).deepEqual(expected);
        }
      }),
      { numRuns: sized(35, 100) },
    ));

  it("raises each alert once on two copies with one store", () =>
    fc.assert(
      fc.asyncProperty(
        bySome,
        events,
        fc.array(fc.constantFrom("first", "second", "both"), { minLength: 25, maxLength: 25 }),
        async (rule, all, copies) => {
          const settings = settingsWith(whenOf(rule), { quietMs: rule.quietMs, slackMs: SPAN_MS });
          const store = new JsonStore();
          const [first, second] = [ofCopies(store, settings), ofCopies(store, settings)];
          const expected = await answers(rule, all, { slackMs: SPAN_MS });
          for (const [index, event] of all.entries()) {
            const copy = copies[index];
            const given = copy === "first" ? [first] : copy === "second" ? [second] : [first, second];
            const accepted = await Promise.all(given.map((one) => one.accept(inputOf(event))));
            const told = accepted.map(({ passed, outcomes }) =>
              [passed, ...outcomes.map(brief)].filter((text) => text !== undefined).join(", "),
            );
            // Whichever copy is first counts it; for the other one it was seen.
            should(told.sort()).deepEqual(
              [String(expected[index]), ...told.slice(1).map(() => "seen")].sort(),
            );
          }
        },
      ),
      { numRuns: sized(35, 100) },
    ));
});
