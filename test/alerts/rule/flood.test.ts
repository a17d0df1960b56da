import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { FileAlertStore, MemoryAlertStore, SharedAlertStore } from "../../../src/alerts/index.ts";
import type { AlertInput, AlertSettings, AlertStore, AlertWhen } from "../../../src/alerts/types.ts";
import { MemorySharedState } from "../../../src/index.ts";
import { type MadeRule, makeRule, START } from "./make-rule.ts";

const MAX_KEYS = 5;
const HOUR = 60 * 60_000;
const NOW = START + HOUR;
const WINDOW = 1_000;

type More = Partial<AlertSettings>;
/** The rule that receives the next event: the same one, one after a restart, or the other copy. */
type World = { next: () => Promise<MadeRule>; close: () => Promise<void> };
type Making = { when: AlertWhen; more: More; clock: { now: number } };

const make = ({ when, more, clock }: Making, store: AlertStore) =>
  makeRule(when, { maxKeys: MAX_KEYS, ...more }, { store, forEach: true, now: () => clock.now });

const WORLDS: Record<string, (making: Making) => Promise<World>> = {
  "one rule": async (making) => {
    const rule = make(making, new MemoryAlertStore());
    return { next: async () => rule, close: () => rule.rule.close() };
  },
  restarts: async (making) => {
    const folder = await mkdtemp(join(tmpdir(), "crec-flood-"));
    const start = () =>
      make(making, new FileAlertStore({ path: join(folder, "rule.log"), minIntervalMs: 0 }));
    let running = start();
    return {
      next: async () => {
        await running.rule.close();
        running = start();
        return running;
      },
      close: async () => {
        await running.rule.close();
        await rm(folder, { recursive: true });
      },
    };
  },
  "two copies": async (making) => {
    const shared = new MemorySharedState();
    const copy = () => make(making, new SharedAlertStore({ shared, scope: "rule", ttlMs: 2 * 24 * HOUR }));
    const copies = [copy(), copy()] as const;
    let turn = 0;
    return {
      next: async () => {
        turn += 1;
        return turn % 2 === 0 ? copies[0] : copies[1];
      },
      close: async () => {
        for (const { rule } of copies) await rule.close();
      },
    };
  },
};

/** Twenty keys that cost nothing, each with an event; half of them at each copy. */
async function flood(world: World, from: number, more: Partial<AlertInput> = {}): Promise<string[]> {
  const answers: string[] = [];
  for (const first of [0, 10]) {
    const { at } = await world.next();
    for (let n = first; n < first + 10; n += 1) {
      const [key, id] = [`cheap ${from} ${n}`, `${from} ${n}`];
      answers.push((await at(from, { key, id, ...more })).replace(key, "cheap"));
    }
  }
  return answers;
}

/** How often each answer was given. */
function counts(answers: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(answers, (one) => one)).map(([one, all = []]) => [one, all.length]),
  );
}

/** Copies may each take their own keys until they have looked at those of others. */
function shouldBecomeFull(answers: readonly string[]): void {
  const { [FULL]: told, limit } = counts(answers);
  should(told).equal(1);
  should(limit).be.within(20 - 2 * MAX_KEYS - 1, 20 - MAX_KEYS);
}

const VICTIM = { key: "victim", amount: "10" };
const FULL = "limit, alert at 3600000 of the rule";

for (const [name, start] of Object.entries(WORLDS)) {
  describe(`AlertRule: more keys than maxKeys, ${name}`, () => {
    let world: World;
    let clock: { now: number };
    const starts = async (when: AlertWhen, more: More = {}) => {
      clock = { now: NOW };
      world = await start({ when, more, clock });
    };
    const victim = async (ms: number, more: Partial<AlertInput> = {}) =>
      (await world.next()).at(ms, { ...VICTIM, id: `victim ${ms}`, ...more });
    afterEach(() => world.close());

    it("alerts at each event of a new key, once", async () => {
      await starts({ kind: "each" });
      should(counts(await flood(world, 0))).deepEqual({ "alert at 0 of cheap": 20 });
      should(await victim(1)).equal("alert at 1 of victim");
      // Delivered at another level.
      should(counts(await flood(world, 0))).deepEqual({ seen: 20 });
      should(await victim(1)).equal("seen");
      should(counts(await flood(world, 2))).deepEqual({ "alert at 2 of cheap": 20 });
      should(await victim(1, { redelivered: true })).equal("alert at 1 of victim repeated");
      should(await victim(3)).equal("alert at 3 of victim");
    });

    it("keeps the quiet time of each key", async () => {
      await starts({ kind: "each" }, { quietMs: HOUR });
      should(await victim(0)).equal("alert at 0 of victim");
      await flood(world, 1);
      should(await victim(2)).equal("quiet");
      await flood(world, 3);
      should(await victim(4)).equal("quiet");
      await flood(world, 5);
      should(await victim(HOUR)).equal(`alert at ${HOUR} of victim suppressed 2`);
    });

    it("reports the end of each alert that lasts", async () => {
      await starts({ kind: "each" }, { recovers: true });
      should(await victim(0)).equal("alert at 0 of victim");
      should(counts(await flood(world, 1))).deepEqual({ "alert at 1 of cheap": 20 });
      should(await victim(2)).equal("quiet");
      await flood(world, 3);
      should(await victim(4, { matches: false })).equal("no_match, recovered at 4 of victim");
      should(counts(await flood(world, 1, { matches: false, id: "end" }))).deepEqual({
        "no_match, recovered at 1 of cheap": 20,
      });
    });

    const windowed: Record<string, { when: AlertWhen; more?: More; answers: string[] }> = {
      count: {
        when: { kind: "count", times: 3, withinMs: WINDOW },
        answers: ["counted", "counted", "alert at 4 of victim count 3"],
      },
      sum: {
        when: { kind: "sum", field: "", limit: "30", withinMs: WINDOW },
        answers: ["counted", "counted", "alert at 4 of victim count 3 sum 30"],
      },
      rate: {
        when: { kind: "rate", factor: 1, least: 3, withinMs: WINDOW, comparedMs: WINDOW },
        answers: ["counted", "counted", "alert at 4 of victim count 3"],
      },
      "count in a quiet time": {
        when: { kind: "count", times: 1, withinMs: WINDOW },
        more: { quietMs: HOUR },
        answers: ["alert at 0 of victim", "quiet", "quiet"],
      },
      "count while the condition holds": {
        when: { kind: "count", times: 1, withinMs: WINDOW },
        more: { recovers: true },
        answers: ["alert at 0 of victim", "quiet", "quiet"],
      },
    };
    for (const [kind, { when, more, answers }] of Object.entries(windowed)) {
      it(`counts on for a key whose time runs: ${kind}`, async () => {
        await starts(when, more);
        await (await world.next()).upTo(-10 * WINDOW);
        should(await victim(0)).equal(answers[0]);
        shouldBecomeFull(await flood(world, 1, { amount: "1" }));
        should(await victim(2)).equal(answers[1]);
        should(counts(await flood(world, 3, { amount: "1" }))).deepEqual({ limit: 20 });
        should(await victim(4)).equal(answers[2]);
      });
    }

    it("notices an absence that it waits for", async () => {
      await starts({ kind: "absence", forMs: WINDOW });
      should(await victim(0)).equal("counted");
      shouldBecomeFull(await flood(world, 1));
      should(await victim(2)).equal("counted");
      should(counts(await flood(world, 3))).deepEqual({ limit: 20 });
      clock.now += 10_000;
      const { upTo } = await world.next();
      should(await upTo(WINDOW + 2)).match(/alert at 1002 of victim count 0/);
    });

    it("counts new keys again once the time of others is over", async () => {
      await starts({ kind: "count", times: 2, withinMs: WINDOW });
      shouldBecomeFull(await flood(world, 0));
      should(await victim(1)).equal("limit");
      clock.now += 10_000;
      should(await (await world.next()).upTo(WINDOW + 1)).equal("");
      clock.now += 10_000;
      should(await (await world.next()).upTo(WINDOW + 1)).equal("");
      should(await victim(WINDOW + 2)).equal("counted");
      should(await victim(WINDOW + 3)).equal(`alert at ${WINDOW + 3} of victim count 2`);
    });

    it("says at most once an hour that new keys are not counted", async () => {
      await starts({ kind: "count", times: 2, withinMs: 10 * HOUR });
      should(counts(await flood(world, 0))).have.property(FULL, 1);
      clock.now += HOUR - 1;
      should(counts(await flood(world, 1))).deepEqual({ limit: 20 });
      clock.now += 1;
      should(counts(await flood(world, 2))).deepEqual({
        limit: 19,
        "limit, alert at 7200000 of the rule": 1,
      });
    });

    it("reads all keys whose time runs, also where more are stored than allowed now", async () => {
      const more = { maxKeys: 20 };
      await starts({ kind: "count", times: 2, withinMs: WINDOW }, more);
      should(counts(await flood(world, 0))).deepEqual({ counted: 20 });
      more.maxKeys = 3;
      clock.now += 10_000;
      const { upTo } = await world.next();
      await upTo(0);
      should(counts(await flood(world, 0, { id: "second" }))).deepEqual({
        "alert at 0 of cheap count 2": 20,
      });
    });
  });
}
