import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import should from "should";
import {
  type AlertStore,
  FileAlertStore,
  MemoryAlertStore,
  SharedAlertStore,
} from "../../../src/alerts/index.ts";
import type { AlertSettings, AlertWhen } from "../../../src/alerts/types.ts";
import { MemorySharedState } from "../../../src/index.ts";
import { sized } from "../../support/variants.ts";
import { describeWide, itWide } from "../../support/wide.ts";
import { logAt } from "../taken-back/logs.ts";
import { type FloodEvent, FloodModel, type Modelled } from "./flood-model.ts";
import { type MadeRule, makeRule, START } from "./make-rule.ts";

const DAY = 24 * 60 * 60_000;
const WINDOW = 60_000;

type Ruled = { when: AlertWhen; more: Partial<AlertSettings>; model: Modelled };

const quietMs = fc.constantFrom(0, 0, 15_000, 2 * WINDOW);
const rules: fc.Arbitrary<Ruled> = fc.oneof(
  quietMs.map(
    (quietMs): Ruled => ({ when: { kind: "each" }, more: { quietMs }, model: { kind: "each", quietMs } }),
  ),
  fc.constant<Ruled>({ when: { kind: "each" }, more: { recovers: true }, model: { kind: "state" } }),
  fc
    .record({
      limit: fc.constantFrom(1, 3, 500, 2_500),
      quietMs,
      kind: fc.constantFrom("count", "sum", "rate"),
    })
    .map(({ limit, quietMs, kind }): Ruled => {
      const of: Record<string, AlertWhen> = {
        count: { kind: "count", times: limit, withinMs: WINDOW },
        sum: { kind: "sum", field: "", limit: `${limit}`, withinMs: WINDOW },
        // Nothing was before the window.
        rate: { kind: "rate", factor: 1, least: limit, withinMs: WINDOW, comparedMs: WINDOW },
      };
      const says = kind === "sum" ? "sum" : "count";
      return {
        when: of[kind] as AlertWhen,
        more: { quietMs },
        model: { kind: "window", limit, withinMs: WINDOW, quietMs, says },
      };
    }),
);

/** Events of a few blocks, in their order; some come again. */
const floods = (count: number): fc.Arbitrary<FloodEvent[]> =>
  fc
    .record({
      sizes: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 4 }),
      draws: fc.infiniteStream(fc.nat(99)),
    })
    .map(({ sizes, draws }) => {
      const draw = () => draws.next().value;
      const unit = count / sizes.reduce((sum, size) => sum + size, 0);
      const all: FloodEvent[] = [];
      for (const [block, size] of sizes.entries()) {
        for (let index = 0; index < size * unit; index += 1) {
          const earlier = draw() < 10 ? all[Math.floor((all.length * draw()) / 100)] : undefined;
          const id = `${block} ${index}`;
          all.push(earlier ?? { id, at: 12_000 * block, amount: draw() % 3, matches: draw() < 3 });
        }
      }
      return all;
    });

/** The rule that gets the next event: after restarts, or in turn. */
type World = { next: (index: number) => Promise<MadeRule>; close: () => Promise<void> };

const WORLDS: Record<string, (made: (store: AlertStore) => MadeRule) => Promise<World>> = {
  "in memory": async (made) => {
    const rule = made(new MemoryAlertStore());
    return { next: async () => rule, close: () => rule.rule.close() };
  },
  "in a file, with restarts": async (made) => {
    const folder = await mkdtemp(join(tmpdir(), "crec-flood-"));
    const start = () => made(new FileAlertStore({ path: join(folder, "rule.log"), minIntervalMs: 0 }));
    let rule = start();
    return {
      next: async (index) => {
        if (index % 701 !== 700) return rule;
        await rule.rule.close();
        rule = start();
        return rule;
      },
      close: async () => {
        await rule.rule.close();
        await rm(folder, { recursive: true });
      },
    };
  },
  "in a shared store, with copies": async (made) => {
    const shared = new MemorySharedState();
    const copy = () => made(new SharedAlertStore({ shared, scope: "rule", ttlMs: 9 * DAY }));
    const copies = [copy(), copy()];
    return {
      next: async (index) => {
        const copy = copies[Math.floor(index / 13) % 2];
        return copy as MadeRule;
      },
      close: async () => {
        for (const { rule } of copies) await rule.close();
      },
    };
  },
};

async function check(start: (typeof WORLDS)[string], { when, more, model }: Ruled, all: FloodEvent[]) {
  const world = await start((store) =>
    makeRule(when, { maxMarks: 3_000, slackMs: 120_000, ...more }, { store, now: () => START + DAY }),
  );
  try {
    const expected = new FloodModel(model);
    await (await world.next(0)).upTo(-10 * WINDOW);
    for (const [index, event] of all.entries()) {
      const [block = "", place = ""] = event.id.split(" ");
      const log = logAt({
        ...{ tx: Number(block) + 1, blockNumber: `${100 + Number(block)}`, logIndex: place },
        content: event.id,
      });
      const { at } = await world.next(index);
      const input = { id: event.id, amount: `${event.amount}`, matches: event.matches, log };
      const isState = model.kind === "state";
      const answer = await at(event.at, isState ? input : { ...input, matches: true });
      should(`${index}: ${answer}`).equal(`${index}: ${expected.give(event)}`);
    }
  } finally {
    await world.close();
  }
}

describe("AlertRule: floods", () => {
  for (const [name, start] of Object.entries(WORLDS)) {
    it(`answers as a model that remembers everything, ${name}`, () =>
      fc.assert(
        fc.asyncProperty(rules, floods(300), (rule, all) => check(start, rule, all)),
        { numRuns: sized(4, 8) },
      ));

    itWide(`answers as a model that remembers everything to thousands of events, ${name}`, () =>
      fc.assert(
        fc.asyncProperty(rules, floods(3_000), (rule, all) => check(start, rule, all)),
        { numRuns: 2 },
      ),
    );
  }
});

describeWide("AlertRule: the cost of a full block", () => {
  const ALL: Record<string, readonly [AlertWhen, Partial<AlertSettings>]> = {
    each: [{ kind: "each" }, { confirmWithinMs: DAY }],
    "each, with the end": [{ kind: "each" }, { recovers: true }],
    count: [{ kind: "count", times: 5, withinMs: WINDOW }, { recovers: true }],
    sum: [{ kind: "sum", field: "", limit: "100000", withinMs: WINDOW }, {}],
    rate: [{ kind: "rate", factor: 1, least: 5, withinMs: WINDOW, comparedMs: WINDOW }, {}],
  };
  for (const [name, [when, more]] of Object.entries(ALL)) {
    it(`grows with the number of events, not with its square: ${name}`, async () => {
      const cost = async (count: number) => {
        const { at } = makeRule(when, { maxMarks: 10_000, slackMs: 1_000, ...more }, { keepsPending: true });
        const before = process.cpuUsage();
        for (let index = 0; index < count; index += 1) {
          const log = logAt({ tx: index + 1, logIndex: `${index}`, content: `${index}` });
          await at(0, { id: `${index}`, amount: "1", matches: index % 2 === 0 || !more.recovers, log });
        }
        return process.cpuUsage(before).user;
      };
      await cost(1_000);
      // With the square it would be 16 times as much; a machine that is busy adds some.
      should((await cost(12_000)) / (await cost(3_000))).be.below(11);
    });
  }
});
