import fc from "fast-check";
import should from "should";
import type { StoredState } from "../../../src/alerts/rule/records/key-form.ts";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import type { AlertSettings, AlertWhen } from "../../../src/alerts/types.ts";
import { sized } from "../../support/variants.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule, START } from "./make-rule.ts";

/** How a watcher reads the log: where its reading counts, and whether it matches. */
type Reading = { content: string; key: string; matches: boolean; amount: string };

const KEYS = ["a", "b", "c"];
const TRUE: Reading = { content: "true", key: "a", matches: true, amount: "5" };
/** Each of these is reached by the true event alone. */
const KINDS: Array<readonly [when: AlertWhen, more?: Partial<AlertSettings>]> = [
  [{ kind: "each" }],
  [{ kind: "each" }, { recovers: true }],
  [{ kind: "count", times: 1, withinMs: 1_000 }],
];
/** And these by no single event. Of a sum, the first reading decides what it adds. */
const NEVER: typeof KINDS = [
  [{ kind: "count", times: 2, withinMs: 1_000 }],
  [{ kind: "sum", field: "", limit: "10", withinMs: 1_000 }],
];

const forgedReading = fc.record({
  // Most are for the key of the true one: each key remembers its own.
  key: fc.constantFrom(TRUE.key, TRUE.key, ...KEYS),
  matches: fc.constantFrom(true, true, false),
  amount: fc.nat({ max: 9 }).map(String),
});
const forged = fc
  .nat({ max: 20 })
  .chain((length) => fc.array(forgedReading, { minLength: length, maxLength: length }))
  .map((all): Reading[] => all.map((one, index) => ({ ...one, content: `forged ${index}` })));
/** In any order, each at several levels, and some again. */
const deliveries = forged.chain((all) => {
  const how = { confidence: fc.constantFrom("latest", "safe"), redelivered: fc.boolean() };
  const anyOrder = fc
    .shuffledSubarray([TRUE, ...all, ...all])
    .chain((order) =>
      fc.tuple(...order.map((reading) => fc.record({ reading: fc.constant(reading), ...how }))),
    );
  return fc.record({ first: anyOrder, moved: anyOrder });
});
const watched = fc.constantFrom(undefined, 1_000_000);

function made([when, more]: (typeof KINDS)[number], confirmWithinMs: number | undefined) {
  const store = new MemoryAlertStore();
  const { rule } = makeRule(
    when,
    { slackMs: 100, confirmWithinMs, ...more },
    { store, forEach: true, now: () => START + 10 },
  );
  /** The keys of the alerts that left, which are no repetitions. */
  const left: string[] = [];
  const give = async (
    { content, ...reading }: Reading,
    { at, redelivered, ...place }: { at: number; redelivered: boolean } & Parameters<typeof logAt>[0],
  ) => {
    const input = { ...reading, id: "the log", at, redelivered, log: logAt({ ...place, content }) };
    const { outcomes } = await rule.accept(input);
    const alerts = outcomes.filter((one) => one.kind === "alert");
    left.push(...alerts.filter(({ repeated }) => !repeated).map(({ alert }) => alert.key));
  };
  /** How often the log counts for a key. */
  const countOf = async (key: string) => {
    const value = ((await store.read(`=${key}`))?.value ?? {}) as Partial<StoredState>;
    const marks = new Map(value.logs?.open.map(([no, mark]) => [no, mark?.n ?? 0]));
    return [...marks.values()].reduce((sum, n) => sum + n, 0);
  };
  return { give, left, countOf };
}

describe("AlertRule: readings of one log that are forged", () => {
  it("do not hold the true alert back, and add nothing twice", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        watched,
        deliveries,
        async (kind, confirmWithinMs, { first, moved }) => {
          const { give, left, countOf } = made(kind, confirmWithinMs);
          const check = async (most = 1) => {
            for (const key of KEYS) {
              should(await countOf(key)).be.belowOrEqual(most);
              should(left.filter((one) => one === key).length).be.belowOrEqual(most);
            }
          };
          for (const { reading, ...more } of first) {
            await give(reading, { at: START, ...more });
            await check();
            if (reading === TRUE) should(left).containEql(TRUE.key);
          }
          await give(TRUE, { at: START, redelivered: false });
          should(left).containEql(TRUE.key);
          // Its block is replaced. What was seen before comes from the other one, in another order.
          const known = new Set([TRUE, ...first.map(({ reading }) => reading)]);
          for (const { reading, ...more } of moved) {
            if (!known.has(reading)) continue;
            await give(reading, { at: START + 5, blockNumber: "101", logIndex: "9", ...more });
            await check();
          }
          // Then the block that replaces that one has any of them: one of a key may be another log of the transaction.
          for (const { reading, ...more } of moved) {
            await give(reading, { at: START + 9, blockNumber: "102", logIndex: "9", ...more });
            await check(2);
          }
        },
      ),
      { numRuns: sized(100, 300) },
    ));

  it("add nothing twice where the limit is above one event", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...NEVER), watched, deliveries, async (kind, confirm, { first }) => {
        const { give, left, countOf } = made(kind, confirm);
        for (const { reading, ...more } of first) await give(reading, { at: START, ...more });
        for (const key of KEYS) should(await countOf(key)).be.belowOrEqual(1);
        should(left).be.empty();
      }),
      { numRuns: sized(70, 200) },
    ));
});
