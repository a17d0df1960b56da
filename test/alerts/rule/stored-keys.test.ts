import fc from "fast-check";
import should from "should";
import { MemoryAlertStore, SharedAlertStore } from "../../../src/alerts/index.ts";
import { Cells } from "../../../src/alerts/rule/cells.ts";
import { markIdOf } from "../../../src/alerts/rule/ids.ts";
import { pendingOf } from "../../../src/alerts/rule/pending.ts";
import { keyForm, packed, storedOf, unpacked } from "../../../src/alerts/rule/records/key-form.ts";
import { KeyRecords } from "../../../src/alerts/rule/records/key-records.ts";
import { type KeyState, type Mark, newState } from "../../../src/alerts/rule/state.ts";
import type { AlertStore, AlertWhen } from "../../../src/alerts/types.ts";
import { MemorySharedState, unlisted } from "../../../src/index.ts";
import { itWide } from "../../support/wide.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule, START } from "./make-rule.ts";

const DAY = 24 * 60 * 60_000;
const SECOND = 1_000;

describe("AlertRule: keys beyond those in memory", () => {
  it("packs a state, and unpacks the same", async () => {
    const alert = {
      id: "an alert",
      key: "a",
      at: 5,
      count: 1,
      suppressed: 0,
      log: logAt({}),
      details: { a: [] },
    };
    const marks: Mark[] = [
      { at: 1, n: 0, id: "none" },
      { at: 2, n: 1, id: "one", place: "7 1", tx: "12345678", says: "that" },
      {
        ...{ at: 3, n: 1, id: "two", amount: "-9", moved: "8 1", movedAt: 4, also: ["other"] },
        alert: { count: 1, suppressed: 0 },
      },
      {
        ...{ at: 4, n: 1, id: "three" },
        alert: { count: 2, suppressed: 3, sum: "7", usual: 0.5, id: "an alert" },
      },
    ];
    let { logs } = newState("a", 0);
    for (const mark of marks) logs = logs.add(mark).logs;
    const state: KeyState = {
      ...newState("a", 12.5),
      logs,
      cells: Cells.empty().add({ at: 2, n: 1, sum: -9n }).use({ after: 1, upTo: 2, by: 3 }),
      alertTimes: [1, 2],
      floor: 0,
      active: alert,
      ended: { by: "one", alert, at: 7 },
      pending: pendingOf([{ kind: "recovered", alert, at: 7 }]),
      parts: [[1, 2]],
      decimals: 0,
      isPast: true,
      last: { chain: "1", place: "7 1", tx: "12345678", says: "that" },
    };
    for (const [recordKey, one] of [
      ["=a", state],
      ["=a", newState("a", 0)],
      ["#hash", newState("long…", 0)],
    ] as const) {
      should(unpacked(recordKey, packed(recordKey, one))).deepEqual(storedOf(one));
    }
    const texts = ["", "{}", "[]", "[1,[[2]]]", '["x",[]]'];
    let unreadable = 0;
    for (const text of texts) {
      const form = keyForm(new MemoryAlertStore(), () => {
        unreadable += 1;
      });
      should(await form.read("=a", text, undefined)).be.undefined();
    }
    should(unreadable).equal(texts.length);
  });

  for (const [name, stored] of Object.entries({
    "as an object": {
      ...{ v: 1, key: "", newest: START + 2, raised: 1, suppressed: 0, floor: START },
      marks: [
        { at: START, n: 7, amount: "7" },
        { at: START + 1, n: 1, amount: "90", id: markIdOf("1"), used: START + 1 },
        { at: START + 2, n: 1, amount: "1", id: markIdOf("2") },
      ],
    },
    packed: JSON.stringify([
      START + 2,
      [
        [START, null, 7, null, null, null, null, null, null, null, null, "7"],
        [START + 1, markIdOf("1"), 1, null, null, null, null, START + 1, null, null, null, "90"],
        [START + 2, markIdOf("2"), 1, null, null, null, null, null, null, null, null, "1"],
      ],
      ...[1, 0],
    ]),
  })) {
    it(`reads what an earlier version stored, ${name}`, async () => {
      const store = new MemoryAlertStore();
      await store.write("=", 0, stored);
      const { at, warnings } = makeRule(
        { kind: "sum", field: "", limit: "10", withinMs: SECOND },
        {},
        { store },
      );
      should(await at(2, { amount: "1" })).equal("seen");
      should(await at(1, { amount: "90" })).equal("seen");
      should(await at(3, { amount: "1" })).equal("counted");
      should(await at(4, { amount: "1" })).equal("alert at 4 count 10 sum 10");
      should(warnings).be.empty();
    });
  }

  it("removes them from the store once nothing of them can count", async () => {
    const store = new MemoryAlertStore();
    const { at, upTo } = makeRule({ kind: "each" }, { maxKeys: 1 }, { store, forEach: true });
    for (const key of ["a", "b", "c"]) should(await at(0, { key })).equal(`alert at 0 of ${key}`);
    await upTo(DAY);
    should(await store.keys()).have.length(4);
    await upTo(DAY + SECOND);
    should(await store.keys()).deepEqual([""]);
    should(await at(0, { key: "a" })).equal("too_late");
  });

  it("leaves them there where the rule is changed to one that has all keys in memory", async () => {
    const store = new MemoryAlertStore();
    const settings = { maxKeys: 2, quietMs: DAY, summarizes: false };
    const rule = (when: AlertWhen) => makeRule(when, settings, { store, forEach: true });
    const { at } = rule({ kind: "each" });
    for (const key of ["a", "b", "c", "d"]) should(await at(0, { key })).equal(`alert at 0 of ${key}`);
    const changed = rule({ kind: "count", times: 1, withinMs: SECOND });
    should(await changed.at(1, { key: "a" })).equal("quiet");
    should(await changed.at(1, { key: "c" })).equal("quiet");
    should(await changed.at(1, { key: "new" })).match(/^limit/);
    await changed.upTo(DAY + 2 * SECOND);
    should(await store.keys()).deepEqual([""]);
  });

  it("takes back an alert of them, which then keeps no other one quiet", async () => {
    const { at, rule } = makeRule(
      { kind: "each" },
      { maxKeys: 1, quietMs: DAY, confirmWithinMs: DAY, slackMs: SECOND },
      { forEach: true, now: () => START + SECOND },
    );
    const log = logAt({});
    should(await at(0, { key: "a", log })).equal("alert at 0 of a");
    await at(1, { key: "b" });
    const { chainSelector, transactionHash, blockNumber } = log;
    const confidence = unlisted("finalized");
    const failed = { chainSelector, transactionHash, blockNumber, confidence, failed: true };
    const outcomes = [
      ...(await rule.learn({ kind: "transaction", ...failed })),
      ...(await rule.readUpTo(START + 4 * SECOND)),
    ];
    should(outcomes.map(({ kind }) => kind)).deepEqual(["takenBack"]);
    should(await at(2, { key: "a" })).equal("alert at 2 of a");
  });

  const LIMITED: Record<string, () => AlertStore> = {
    "a store of its own": () => new MemoryAlertStore(),
    "a shared store": () =>
      new SharedAlertStore({ shared: new MemorySharedState(), scope: "rule", ttlMs: DAY }),
  };
  for (const [name, open] of Object.entries(LIMITED)) {
    it(`has a limit of what it leaves to ${name}, and says so`, async () => {
      const reports: string[] = [];
      const store = open();
      const keys = new KeyRecords({
        ...{ store, maxKeys: 2, mostStored: 8, leavesToStore: true, keepsPending: false },
        report: (kind) => reports.push(kind),
        dueAt: () => undefined,
        isUntold: () => false,
        overAt: () => undefined,
        remaining: (state) => state,
        givenUpTo: () => undefined,
        beforeRemoval: async () => {},
      });
      for (let n = 0; n < 50; n += 1) {
        const record = await keys.use(`=${n}`);
        await record?.change(() => ({ state: newState(`${n}`, n) }));
        if (record !== undefined) keys.settle(record);
      }
      const { length } = await store.keys();
      should(length).be.within(8, 10);
      should(keys.forgotten).equal(50 - length);
      should(reports).matchEach("forgotten");
      should((await keys.use("=49"))?.value).have.property("newest", 49);
    });
  }

  it("forgets the oldest events of the key with most, and says so, but not what they count", async () => {
    const reports: string[] = [];
    const keys = new KeyRecords({
      ...{ store: new MemoryAlertStore(), maxKeys: 9, mostStored: 1_000, leavesToStore: false },
      keepsPending: false,
      report: (kind) => reports.push(kind),
      dueAt: () => undefined,
      isUntold: () => false,
      overAt: () => undefined,
      remaining: (state) => state,
      givenUpTo: () => undefined,
      beforeRemoval: async () => {},
    });
    const add = async (key: string, id: string) => {
      const record = await keys.use(key);
      await record?.change((known) => {
        const state = known ?? newState(key, 0);
        const cells = state.cells.add({ at: 0, n: 1, sum: 1n });
        return { state: { ...state, logs: state.logs.add({ at: 0, n: 1, id }).logs, cells } };
      });
      if (record !== undefined) await keys.settleIdle(record);
      return record?.value;
    };
    for (let n = 0; n < 200; n += 1) await add("=few", `${n}`);
    should(keys.forgottenEvents).equal(0);
    for (let n = 0; n < 1_000; n += 1) await add("=many", `${n}`);
    const [few, many] = [await add("=few", "last"), await add("=many", "last")];
    should([few?.logs.size, many?.logs.size]).deepEqual([201, 701]);
    should(many?.cells.sorted).matchEach({ at: 0, n: 1_001, sum: 1_001n });
    should(keys.forgottenEvents).equal(300);
    should(reports).matchEach("forgottenEvents");
    should([many?.logs.find("0", undefined), many?.logs.find("999", undefined)]).deepEqual([
      undefined,
      "999",
    ]);
  });

  type Step = {
    key: number;
    at: number;
    id: number;
    matches: boolean;
    redelivered: boolean;
    restarts: boolean;
  };
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      ...{ key: fc.nat(5), at: fc.nat(40), id: fc.nat(30) },
      matches: fc.constantFrom(true, true, false),
      redelivered: fc.constantFrom(false, false, true),
      restarts: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 40 },
  );
  const settings = fc.record({
    quietMs: fc.constantFrom(0, 3 * SECOND, 20 * SECOND, 2 * DAY),
    recovers: fc.boolean(),
    slackMs: fc.constantFrom(0, 5 * SECOND),
  });

  itWide("answers for each event as a rule does that has all keys in memory", () =>
    fc.assert(
      fc.asyncProperty(steps, settings, fc.boolean(), async (all, more, isShared) => {
        const answers = async (maxKeys: number) => {
          const shared = new MemorySharedState();
          const own = new MemoryAlertStore();
          const start = () =>
            makeRule(
              { kind: "each" },
              { ...more, maxKeys },
              {
                forEach: true,
                store: isShared ? new SharedAlertStore({ shared, scope: "rule", ttlMs: 9 * DAY }) : own,
              },
            );
          let rule = start();
          const given: string[] = [];
          for (const { key, at, id, restarts, ...input } of all) {
            if (restarts) rule = start();
            given.push(await rule.at(at * SECOND, { key: `${key}`, id: `${key} ${id}`, ...input }));
            if (id === 0 && !isShared) given.push(await rule.upTo(at * SECOND));
          }
          return given;
        };
        should(await answers(2)).deepEqual(await answers(1_000));
      }),
      { numRuns: 300 },
    ),
  );
});
