import fc from "fast-check";
import should from "should";
import { MemoryAlertStore, openAlertsIn, SharedAlertStore } from "../../../src/alerts/index.ts";
import type { AlertSettings, AlertWhen } from "../../../src/alerts/types.ts";
import { MemorySharedState } from "../../../src/index.ts";
import { sized } from "../../support/variants.ts";
import { logAt } from "../taken-back/logs.ts";
import { type MadeRule, makeRule, START } from "./make-rule.ts";

const EACH = { kind: "each" } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Copies that share a store, and a clock for all of them. */
function copies() {
  const shared = new MemorySharedState();
  const clock = { now: START };
  const storeOf = () => new SharedAlertStore({ shared, scope: "rule", ttlMs: 1e9 });
  const copy = (fingerprint: string, when: AlertWhen = EACH, more: Partial<AlertSettings> = {}) => {
    let differs = false;
    const { rule, at } = makeRule(
      when,
      { recovers: true, ...more },
      {
        store: storeOf(),
        ...{ id: "rule", fingerprint, now: () => clock.now },
        onDifference: (isDifferent) => {
          differs = isDifferent;
        },
      },
    );
    const told = (outcomes: Awaited<ReturnType<typeof rule.open>>) => outcomes.map(({ kind }) => kind).join();
    return {
      ...{ rule, at },
      open: async () => told(await rule.open()),
      upTo: async (ms: number) => told(await rule.readUpTo(START + ms)),
      stay: async () => told(await rule.refresh()),
      differs: () => differs,
    };
  };
  /** The given copies go on, one after the other. Returns what they told meanwhile. */
  const pass = async (ms: number, live: Array<{ stay(): Promise<string> }>) => {
    const said: string[] = [];
    for (let passed = 0; passed < ms; passed += 15_000) {
      clock.now += 15_000;
      for (const one of live) said.push(await one.stay());
    }
    return said.filter(Boolean).join();
  };
  return { copy, clock, pass, storeOf };
}

describe("AlertRule: a rule of several copies that is changed or stopped", () => {
  it("ends what is open by the rule before at the deploy, once, and watches anew", async () => {
    const { copy, storeOf } = copies();
    const before = copy("each");
    should(await before.at(0)).equal("alert at 0");
    await before.rule.close();
    const when = { kind: "absence", forMs: 10 } as const;
    const [first, second] = [copy("absence", when), copy("absence", when)];
    should(await first.open()).equal("ended");
    should(await second.open()).equal("");
    should(first.differs()).be.false();
    should(await openAlertsIn(storeOf())).be.empty();
    should(await first.upTo(10)).equal("alert");
    should(await second.at(20)).equal("counted, recovered at 20");
    should(await second.upTo(30)).equal("alert");
  });

  it("watches for an absence where the rule before had no key", async () => {
    const { copy, clock } = copies();
    const before = copy("each");
    await before.upTo(0);
    await before.rule.close();
    clock.now += 100;
    const absence = copy("absence", { kind: "absence", forMs: 10 });
    should(await absence.upTo(109)).equal("");
    should(await absence.upTo(110)).equal("alert");
  });

  it("ends nothing while another copy has the rule before, which goes on by itself, and says that they differ", async () => {
    const { copy, pass, storeOf } = copies();
    const before = copy("each");
    should(await before.at(0)).equal("alert at 0");
    const absence = copy("absence", { kind: "absence", forMs: 100_000 });
    should(await absence.open()).equal("");
    should(absence.differs()).be.true();
    // What is absent is counted, and is no end of the other alert.
    should(await absence.at(1)).equal("counted");
    should(await pass(10 * MINUTE, [before, absence])).equal("");
    should([before.differs(), absence.differs()]).eql([true, true]);
    // Neither copy reads.
    should(await before.upTo(2)).equal("");
    should(await openAlertsIn(storeOf())).have.length(1);
    should(await absence.upTo(100_001)).equal("alert");
    should(await openAlertsIn(storeOf())).have.length(2);
    should(await before.at(100_002, { matches: false })).equal("no_match, recovered at 100002");
    should(await before.at(100_003)).equal("alert at 100003");
    should(await absence.at(100_004)).equal("counted, recovered at 100004");
    // One of two that differ stops.
    await before.rule.close();
    should(await pass(MINUTE, [absence])).equal("ended");
    should(absence.differs()).be.false();
    should(await openAlertsIn(storeOf())).be.empty();
  });

  it("ends what a copy left that was killed, some time later", async () => {
    const { copy, pass } = copies();
    should(await copy("one").at(0)).equal("alert at 0");
    const after = copy("other");
    should(await after.open()).equal("");
    should(await pass(MINUTE, [after])).equal("");
    should(await pass(2 * MINUTE, [after])).equal("ended");
  });

  it("never lets a copy with the rule before end what the new one opened, unless that one stays away", async () => {
    const { copy, pass } = copies();
    const before = copy("one");
    await before.upTo(0);
    const after = copy("other");
    should(await after.at(1)).equal("alert at 1");
    await after.rule.close();
    should(await pass(5 * MINUTE, [before])).equal("");
    const again = copy("other");
    should(await again.open()).equal("");
    should(await pass(20 * MINUTE, [before, again])).equal("");
    should(await again.at(2, { matches: false })).equal("no_match, recovered at 2");
    should(await again.at(3)).equal("alert at 3");
    await again.rule.close();
    should(await pass(20 * MINUTE, [before])).equal("ended");
  });

  it("keeps the window and the incident of each rule in a key that both count", async () => {
    const { copy } = copies();
    const count = { kind: "count", times: 2, withinMs: 50 } as const;
    const [before, after] = [copy("one", count), copy("other", count)];
    should(await before.at(0)).equal("counted");
    should(await after.at(1)).equal("counted");
    should(await before.at(2)).equal("alert at 2 count 2");
    should(await after.at(3)).equal("alert at 3 count 2");
    // What one copy has seen is seen by the other.
    should(await before.at(1)).equal("seen");
    should(await after.upTo(52)).equal("recovered");
    should(await before.upTo(51)).equal("recovered");
  });

  it("keeps what is set aside in the store, however much it is", async () => {
    const { copy, clock } = copies();
    const count = { kind: "count", times: 1_000, withinMs: 10_000 } as const;
    const before = copy("one", count);
    for (let ms = 0; ms < 999; ms += 1) should(await before.at(ms)).equal("counted");
    should(await copy("other", count).at(1_000)).equal("counted");
    should(await copy("one", count).at(1_001)).equal("alert at 1001 count 1000");
    clock.now += HOUR;
    should(await copy("one", count).upTo(10_999)).equal("recovered");
  });

  it("takes an alert back that is set aside", async () => {
    const { copy, storeOf } = copies();
    const before = copy("one", EACH, { confirmWithinMs: 1e9 });
    should(await before.at(0, { log: logAt({ blockNumber: "1" }) })).equal("alert at 0");
    const after = copy("other", EACH, { confirmWithinMs: 1e9 });
    should(await after.at(1, { log: logAt({ blockNumber: "2", tx: 2 }) })).equal("alert at 1");
    should(await openAlertsIn(storeOf())).have.length(2);
    const { chainSelector, transactionHash } = logAt({ blockNumber: "1" });
    const failed = { chainSelector, transactionHash, confidence: "finalized" as const, failed: true };
    const outcomes = [
      ...(await after.rule.learn({ kind: "transaction", blockNumber: "1", ...failed })),
      ...(await after.rule.readUpTo(START + 600_000)),
    ];
    should(outcomes.map((outcome) => [outcome.kind, "isOpen" in outcome])).eql([["takenBack", false]]);
    should(await openAlertsIn(storeOf())).have.length(1);
  });

  it("begins an absence anew where the last copy was stopped by a person, and no other one goes on", async () => {
    const { copy, clock } = copies();
    const made = () => copy("one", { kind: "absence", forMs: 100 });
    const [first, second] = [made(), made()];
    for (const one of [first, second]) await one.upTo(0);
    await first.rule.suspend();
    await first.rule.close();
    clock.now += 200;
    const third = made();
    should(await third.upTo(150)).equal("alert");
    should(await third.at(160)).equal("counted, recovered at 160");
    for (const one of [second, third]) {
      await one.rule.suspend();
      await one.rule.close();
    }
    clock.now += 800;
    const fourth = made();
    should(await fourth.upTo(1_099)).equal("");
    should(await fourth.upTo(1_100)).equal("alert");
  });

  it("begins an absence anew where a person stopped all copies at once", async () => {
    const { copy, clock } = copies();
    const made = () => copy("one", { kind: "absence", forMs: 100 });
    const all = [made(), made(), made()];
    for (const one of all) await one.upTo(0);
    await Promise.all(all.map((one) => one.rule.suspend()));
    await Promise.all(all.map((one) => one.rule.close()));
    clock.now += 1_000;
    const again = made();
    should(await again.upTo(1_099)).equal("");
    should(await again.upTo(1_100)).equal("alert");
  });

  it("goes on with an absence where a person stopped one copy before the others ended by themselves", async () => {
    const { copy, clock } = copies();
    const made = () => copy("one", { kind: "absence", forMs: 100 });
    const [stopped, other] = [made(), made()];
    for (const one of [stopped, other]) await one.upTo(0);
    await stopped.rule.suspend();
    await stopped.rule.close();
    await other.rule.close();
    clock.now += 1_000;
    should(await made().upTo(100)).equal("alert");
  });

  it("waits for an absence from the deploy on, whatever the rule before had seen; for each key from its next event on", async () => {
    for (const [isShared, forEach] of [
      [true, false],
      [true, true],
      [false, false],
      [false, true],
    ]) {
      const own = new MemoryAlertStore();
      const { storeOf, clock } = copies();
      const made = (fingerprint: string, when: AlertWhen, each?: boolean) => {
        const more = { id: "rule", fingerprint, forEach: each, now: () => clock.now };
        return makeRule(when, { recovers: true }, { store: isShared ? storeOf() : own, ...more });
      };
      const before = made("each", EACH, true);
      for (const key of ["", "a", "b"]) await before.at(0, { key, id: key });
      await before.rule.close();
      clock.now += 1_000;
      const { rule, at, upTo } = made("absence", { kind: "absence", forMs: 100 }, forEach);
      should((await rule.open()).map(({ kind }) => kind)).eql(["ended", "ended", "ended"]);
      if (forEach) {
        // It comes late, and is the first one of its key for this rule.
        should(await at(-1, { key: "a", id: "late" })).equal("counted");
        should(await upTo(98)).equal("");
        should(await upTo(99)).equal("alert at 99 of a count 0");
        should(await upTo(9_000)).equal("");
      } else {
        should(await upTo(1_099)).equal("");
        should(await upTo(1_100)).equal("alert at 1100 count 0");
      }
      await rule.close();
    }
  });

  it("waits for an absence whatever another rule counts meanwhile", async () => {
    const { copy } = copies();
    const [before, absence] = [copy("one"), copy("absence", { kind: "absence", forMs: 100 })];
    should(await absence.at(0)).equal("counted");
    should(await before.at(50)).equal("alert at 50");
    should(await absence.upTo(99)).equal("");
    should(await absence.upTo(100)).equal("alert");
    // What the other one counted stays counted.
    should(await absence.at(110)).equal("counted, recovered at 110");
    should(await before.at(50)).equal("seen");
  });

  it("waits for an absence anew where another rule goes on and took its copy for ended", async () => {
    const { copy, pass, clock } = copies();
    const absence = copy("absence", { kind: "absence", forMs: MINUTE });
    should(await absence.at(0)).equal("counted");
    const other = copy("one");
    should(await other.at(1)).equal("alert at 1");
    await pass(5 * MINUTE, [other]);
    const back = clock.now - START;
    should(await absence.upTo(back)).equal("");
    should(await absence.upTo(back + MINUTE - 1)).equal("");
    should(await absence.upTo(back + MINUTE)).equal("alert");
  });

  it("ends what is open by a rule of which the store knows no copy, some time later", async () => {
    const { copy, pass, storeOf } = copies();
    const before = copy("one");
    should(await before.at(0)).equal("alert at 0");
    const store = storeOf();
    const { revision = 0 } = (await store.read("")) ?? {};
    await store.write("", revision, undefined);
    const after = copy("other");
    should(await after.at(1)).equal("alert at 1");
    should(await pass(MINUTE, [after])).equal("");
    should(await pass(2 * MINUTE, [after])).equal("ended");
    should(await openAlertsIn(store)).have.length(1);
    should(after.differs()).be.false();
  });

  it("has nothing to do for a rule that is gone and left nothing open", async () => {
    const { copy, pass, storeOf } = copies();
    const before = copy("one");
    should(await before.at(0, { matches: false })).equal("no_match");
    await before.rule.close();
    const after = copy("other");
    should(await pass(MINUTE, [after])).equal("");
    const store = storeOf();
    const revision = async () => (await store.read(""))?.revision;
    const known = await revision();
    should(await pass(5 * MINUTE, [after])).equal("");
    should(await revision()).equal(known);
    should(after.differs()).be.false();
  });

  it("ends nothing of a copy that began together with another one", async () => {
    const { copy, pass } = copies();
    const [one, other] = [copy("one"), copy("other")];
    await Promise.all([one.upTo(0), other.upTo(0)]);
    should(await one.at(1)).equal("alert at 1");
    should(await pass(5 * MINUTE, [other, one])).equal("");
  });

  it("tells what each rule would tell alone, while copies differ", async () => {
    const when = fc.constantFrom<AlertWhen>(
      EACH,
      { kind: "count", times: 3, withinMs: 40 },
      { kind: "absence", forMs: 25 },
      { kind: "rate", factor: 2, withinMs: 10, comparedMs: 50, least: 2 },
    );
    const given = fc.record({
      ...{ rule: fc.integer({ min: 0, max: 1 }), afterMs: fc.integer({ min: 0, max: 12 }) },
      key: fc.constantFrom("a", "b", undefined),
      matches: fc.boolean(),
    });
    const [kinds, quietMs] = [fc.tuple(when, when), fc.constantFrom(0, 30)];
    const inputs = fc.array(given, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(kinds, quietMs, fc.boolean(), inputs, async (whens, quietMs, recovers, steps) => {
        let now = 0;
        const copyOf = (shared: MemorySharedState, rule: number) =>
          makeRule(
            whens[rule] ?? EACH,
            { recovers, quietMs },
            {
              ...{ id: "rule", forEach: true, fingerprint: `${rule}`, now: () => START + HOUR + now },
              store: new SharedAlertStore({ shared, scope: "rule", ttlMs: 1e9 }),
            },
          );
        const shared = new MemorySharedState();
        const together = [0, 1].map((rule) => copyOf(shared, rule));
        const alone = [0, 1].map((rule) => copyOf(new MemorySharedState(), rule));
        for (const { upTo } of [...together, ...alone]) await upTo(0);
        let ms = 1;
        for (const [no, { rule, afterMs, key, matches }] of steps.entries()) {
          ms += afterMs;
          // So that each looks at what the other did.
          now += 10_000;
          const told = async (made: readonly MadeRule[]) => {
            const { at, upTo } = made[rule] as MadeRule;
            const said = await (key === undefined ? upTo(ms) : at(ms, { key, matches, id: `${no}` }));
            // A key that another rule has, too, is over later: so long it knows what it held back.
            return said
              .replaceAll(/ suppressed \d+/g, "")
              .split(", ")
              .sort();
          };
          should(await told(together)).eql(await told(alone));
        }
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("ends what is only in the store", async () => {
    const { copy } = copies();
    const before = copy("one", EACH, { maxKeys: 2 });
    for (const key of ["a", "b", "c"]) should(await before.at(0, { key, id: key })).match(/^alert/);
    await before.rule.close();
    should(await copy("other", EACH, { maxKeys: 2 }).open()).equal("ended,ended,ended");
  });
});
