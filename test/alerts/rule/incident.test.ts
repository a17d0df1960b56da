import should from "should";
import { MemoryAlertStore, openAlertsIn } from "../../../src/alerts/index.ts";
import type { AlertOutcome, AlertWhen } from "../../../src/alerts/types.ts";
import { makeRule, START } from "./make-rule.ts";

const LOG = {
  chainSelector: "1",
  transactionHash: `0x${"a".repeat(64)}`,
  blockNumber: "1",
  logIndex: "0",
  confidence: "latest",
  contract: `0x${"b".repeat(40)}`,
  content: "x",
  source: "watcher Transfer",
} as const;

/** A rule whose answers name the incident by the order in which it opened. */
function incidents(...given: Parameters<typeof makeRule>) {
  const { rule, ...made } = makeRule(...given);
  const ids: string[] = [];
  const say = (outcome: AlertOutcome) => {
    const { alert } = outcome;
    if (!ids.includes(alert.id)) ids.push(alert.id);
    const changes = outcome.kind === "recovered" ? outcome.changes : alert.changes;
    const words = [
      outcome.kind === "alert" && alert.reminder !== undefined ? `reminder ${alert.reminder}` : outcome.kind,
      `of ${ids.indexOf(alert.id) + 1}`,
      `at ${(outcome.kind === "alert" ? alert.at : outcome.at) - START}`,
      ...(outcome.kind === "alert" && alert.suppressed > 0 ? [`with ${alert.suppressed} more`] : []),
      ...(outcome.kind === "alert" && alert.lastAt !== undefined ? [`last at ${alert.lastAt - START}`] : []),
      ...(changes === undefined ? [] : [`changes ${changes}`]),
    ];
    return words.join(" ");
  };
  const given1 = async (ms: number, more: object = {}) => {
    const input = { key: "", at: START + ms, id: `${ms}`, matches: true, ...more };
    const { passed, outcomes } = await rule.accept(input);
    return [passed, ...outcomes.map(say)].filter(Boolean).join(", ");
  };
  return {
    ...made,
    rule,
    yes: given1,
    no: (ms: number, more: object = {}) => given1(ms, { matches: false, ...more }),
    upTo: async (ms: number) => (await rule.readUpTo(START + ms)).map(say).join(", "),
  };
}

describe("AlertRule: one alert from its beginning to its end", () => {
  const EACH = { kind: "each" } as const;

  it("has one id with its reminders and its end, and the next alert has another", async () => {
    const { yes, no, upTo } = incidents(EACH, { recovers: true, quietMs: 10 });
    should(await yes(0)).equal("alert of 1 at 0");
    should(await yes(5)).equal("quiet");
    should(await upTo(9)).equal("");
    should(await upTo(12)).equal("reminder 1 of 1 at 10 with 1 more last at 5");
    should(await upTo(100)).equal("");
    // After the quiet time a match is the reminder.
    should(await yes(110)).equal("reminder 2 of 1 at 110");
    should(await no(125)).equal("no_match, recovered of 1 at 125");
    should(await yes(140)).equal("alert of 2 at 140");
  });

  it("is told at once when it comes back, and then once while it changes often", async () => {
    const { yes, no, upTo, rule } = incidents(EACH, { recovers: true, quietMs: 60 });
    should(await yes(0)).equal("alert of 1 at 0");
    should(await no(5)).equal("no_match, recovered of 1 at 5");
    should(await yes(10)).equal("alert of 2 at 10");
    should(await no(15)).equal("no_match");
    should(await yes(20)).equal("quiet");
    should(await no(25)).equal("no_match");
    should(await yes(30)).equal("quiet");
    should(rule.nextCheckAt).equal(START + 70);
    should(await upTo(69)).equal("");
    should(await upTo(75)).equal("reminder 1 of 2 at 70 with 2 more last at 30 changes 4");
    should(await no(80)).equal("no_match");
    should(await upTo(200)).equal("recovered of 2 at 80 changes 1");
    should(await upTo(1_000)).equal("");
    should(await yes(300)).equal("alert of 3 at 300");
    should(await no(301)).equal("no_match, recovered of 3 at 301");
  });

  it("tells what the quiet time counted, also where its end is no outcome", async () => {
    for (const [when, more] of [
      [EACH, {}],
      [{ kind: "count", times: 1, withinMs: 5 }, {}],
      [{ kind: "sum", field: "", limit: "1", withinMs: 5 }, { amount: "1" }],
    ] as const) {
      const { yes, upTo } = incidents(when, { quietMs: 60 });
      should(await yes(0, more)).equal("alert of 1 at 0");
      for (let ms = 1; ms < 50; ms += 1) should(await yes(ms, more)).equal("quiet");
      should(await upTo(100)).equal("reminder 1 of 1 at 60 with 49 more last at 49");
      should(await upTo(1_000)).equal("");
      should(await yes(2_000, more)).equal("alert of 2 at 2000");
      should(await yes(2_010, more)).equal("quiet");
      should(await yes(2_070, more)).equal("reminder 1 of 2 at 2070 with 1 more last at 2010");
    }
  });

  it("leaves the number to the next alert without summaries", async () => {
    const { yes, upTo } = incidents(EACH, { quietMs: 60, summarizes: false });
    should(await yes(0)).equal("alert of 1 at 0");
    should(await yes(5)).equal("quiet");
    should(await upTo(1_000)).equal("");
    should(await yes(2_000)).equal("alert of 2 at 2000 with 1 more last at 5");
  });

  it("stays over where a match comes late, before an end that is known", async () => {
    const { at, upTo } = makeRule({ kind: "each" }, { recovers: true, quietMs: 60, slackMs: 20 });
    await at(0);
    await at(1, { matches: false });
    await at(10);
    await at(11, { matches: false });
    await at(50, { matches: false });
    should(await at(49)).equal("quiet");
    should(await upTo(70)).equal("recovered at 11");
  });

  it("of an absence begins anew after a person had stopped the rule, unless it was told", async () => {
    const store = new MemoryAlertStore();
    const when = { kind: "absence", forMs: 100 } as const;
    const opened = (now: number) => makeRule(when, { recovers: true }, { store, now: () => START + now });
    const first = opened(10);
    await first.upTo(10);
    await first.rule.suspend();
    const second = opened(500);
    should(await second.upTo(550)).equal("");
    should(await second.upTo(600)).equal("alert at 600 count 0");
    await second.rule.suspend();
    const third = opened(900);
    should(await third.at(950)).equal("counted, recovered at 950");
    // Without that, time passes over a restart.
    should(await opened(2_000).upTo(2_000)).equal("alert at 2000 count 0");
  });

  it("is read from the store alone, where its rule is gone", async () => {
    const store = new MemoryAlertStore();
    const { at } = makeRule({ kind: "each" }, { recovers: true }, { store });
    await at(1, { key: "a" });
    await at(2, { key: "b" });
    await at(3, { key: "b", matches: false });
    should((await openAlertsIn(store)).map(({ key }) => key)).eql(["a"]);
    const withoutEnd = new MemoryAlertStore();
    await makeRule({ kind: "each" }, { quietMs: 9 }, { store: withoutEnd }).at(1);
    should(await openAlertsIn(withoutEnd)).be.empty();
  });

  it("of a window: its end is held back where it came soon after another one", async () => {
    const { yes, upTo } = incidents(
      { kind: "count", times: 2, withinMs: 10 },
      { recovers: true, quietMs: 100 },
    );
    await yes(0);
    should(await yes(1)).equal("alert of 1 at 1");
    should(await upTo(12)).equal("recovered of 1 at 10");
    await yes(20);
    should(await yes(21)).equal("alert of 2 at 21");
    should(await upTo(40)).equal("");
    await yes(50);
    should(await yes(51)).equal("quiet");
    should(await upTo(80)).equal("");
    should(await upTo(130)).equal("recovered of 2 at 60 changes 3");
  });

  it("of an absence without summaries is told after the quiet time, not left out", async () => {
    const settings = { quietMs: 100, summarizes: false };
    const { yes, upTo } = incidents({ kind: "absence", forMs: 10 }, settings);
    await upTo(0);
    should(await upTo(10)).equal("alert of 1 at 10");
    should(await yes(20)).equal("counted");
    should(await upTo(109)).equal("");
    should(await upTo(110)).equal("alert of 2 at 110");
  });

  it("of an absence: reminders while it lasts, and its end is held back as of any other", async () => {
    const { yes, upTo } = incidents({ kind: "absence", forMs: 10 }, { recovers: true, quietMs: 100 });
    await upTo(0);
    should(await upTo(10)).equal("alert of 1 at 10");
    should(await upTo(109)).equal("");
    should(await upTo(110)).equal("reminder 1 of 1 at 110");
    should(await yes(115)).equal("counted, recovered of 1 at 115");
    should(await upTo(125)).equal("alert of 2 at 125");
    should(await yes(130)).equal("counted");
    should(await upTo(224)).equal("");
    should(await upTo(226)).equal("reminder 1 of 2 at 225 with 1 more last at 224 changes 2");
  });

  it("ends only by what is about the same, and says so", async () => {
    const { yes, no } = incidents(EACH, { recovers: true });
    should(await yes(0, { subject: "Paused" })).equal("alert of 1 at 0");
    should(await no(1, { subject: "Transfer" })).equal("no_match");
    should(await no(2, { subject: "Paused", ends: false })).equal("no_match");
    should(await no(3, { subject: "Paused" })).equal("no_match, recovered of 1 at 3");
  });

  it("a match that comes late is told, with its end", async () => {
    const { yes, no } = incidents(EACH, { recovers: true, slackMs: 50 });
    should(await no(10)).equal("no_match");
    should(await yes(5)).equal("alert of 1 at 5, recovered of 1 at 10");
  });

  it("a reminder that comes again has its id and number, also after the end", async () => {
    const { yes, no } = incidents(EACH, { recovers: true, quietMs: 10, slackMs: 100 });
    await yes(0);
    should(await yes(20)).equal("reminder 1 of 1 at 20");
    should(await no(40)).equal("no_match, recovered of 1 at 40");
    should(await yes(20, { redelivered: true })).equal("reminder 1 of 1 at 20");
    should(await yes(0, { redelivered: true })).equal("alert of 1 at 0");
  });

  it("stays open where one of its events is undone, and another one holds it", async () => {
    const { yes, rule } = incidents(EACH, { recovers: true, quietMs: 10, confirmWithinMs: 1e9 });
    const logAt = (block: number) => ({
      ...LOG,
      transactionHash: `0x${String(block).padStart(64, "0")}`,
      blockNumber: `${block}`,
      content: `${block}`,
    });
    await yes(0, { log: logAt(1) });
    should(await yes(20, { log: logAt(2) })).equal("reminder 1 of 1 at 20");
    const undo = async (block: number) => {
      const { chainSelector, transactionHash } = logAt(block);
      const failed = { chainSelector, transactionHash, confidence: "finalized" as const, failed: true };
      const outcomes = [
        ...(await rule.learn({ kind: "transaction", blockNumber: `${block}`, ...failed })),
        ...(await rule.readUpTo(START + 1_000_000_001)),
      ];
      return outcomes.map(({ kind, alert, ...more }) => `${kind} ${alert.reminder ?? 0} ${"isOpen" in more}`);
    };
    should(await undo(1)).deepEqual(["takenBack 0 true"]);
    should(await undo(2)).deepEqual(["takenBack 1 false"]);
  });

  it("ends when the rule is changed, and not by a change of its limits", async () => {
    const store = new MemoryAlertStore();
    const made = (when: AlertWhen, fingerprint: string | undefined, more: object = {}) =>
      incidents(when, { recovers: true, maxKeys: 1 }, { store, forEach: true, fingerprint, ...more });
    const first = made(EACH, "each");
    for (const key of ["a", "b"]) should(await first.yes(0, { key, id: key })).match(/^alert/);
    should(await made(EACH, "each").rule.open()).be.empty();
    should(await made(EACH, undefined).rule.open()).be.empty();
    const absence = made({ kind: "absence", forMs: 10 }, "absence", { keepsPending: true });
    const ended = await absence.rule.open();
    should(ended.map(({ kind, alert }) => `${kind} ${alert.key}`).sort()).eql(["ended a", "ended b"]);
    should(await absence.rule.pending()).have.length(2);
    should(await absence.yes(5, { key: "a", id: "other" })).equal("counted");
    // The other key had no event since.
    should(await absence.upTo(14)).equal("");
    should(await absence.upTo(999)).equal("alert of 1 at 999");
    should(await made({ kind: "absence", forMs: 10 }, "absence").rule.open()).be.empty();
  });

  it("tells a held end at once where the quiet time is taken out of the rule, or where there is no room for its key", async () => {
    const store = new MemoryAlertStore();
    const flap = async (key: string, { yes, no }: ReturnType<typeof incidents>) => {
      for (const [ms, give] of [
        [0, yes],
        [1, no],
        [2, yes],
        [3, no],
      ] as const)
        await give(ms, { key, id: `${key} ${ms}` });
    };
    const first = incidents(EACH, { recovers: true, quietMs: 1_000 }, { store, fingerprint: "same" });
    await flap("", first);
    should(await first.upTo(500)).equal("");
    const without = incidents(EACH, { recovers: true }, { store, fingerprint: "same" });
    should(await without.upTo(501)).match(/^recovered of 1 at 3 changes 1$/);
    should(await without.upTo(9_000)).equal("");
    const few = incidents(EACH, { recovers: true, quietMs: 1_000, maxKeys: 2 }, { forEach: true });
    await flap("a", few);
    for (const key of ["b", "c"]) await few.yes(4, { key, id: key });
    should(await few.upTo(2_000)).match(/^recovered of \d at 3 changes 1$/);
  });

  it("goes on where what holds it now came after an end that was held back", async () => {
    const logAt = (block: number) => ({
      ...LOG,
      transactionHash: `0x${String(block).padStart(64, "0")}`,
      blockNumber: `${block}`,
      content: `${block}`,
    });
    const { yes, no, rule } = incidents(EACH, { recovers: true, quietMs: 60, confirmWithinMs: 1e9 });
    const undo = async (block: number) => {
      const { chainSelector, transactionHash } = logAt(block);
      const failed = { chainSelector, transactionHash, confidence: "finalized" as const, failed: true };
      const outcomes = [
        ...(await rule.learn({ kind: "transaction", blockNumber: `${block}`, ...failed })),
        ...(await rule.readUpTo(START + 1_000_000_001)),
      ];
      return outcomes.map(({ kind, ...more }) => `${kind} ${"isOpen" in more}`);
    };
    await yes(0, { log: logAt(1) });
    await no(5);
    await yes(10, { log: logAt(2) });
    await no(15);
    should(await yes(70, { log: logAt(3) })).match(/^reminder 1/);
    // Nothing else has held it since.
    should(await undo(3)).eql(["takenBack false"]);
    should(await yes(80, { log: logAt(4) })).match(/^alert/);
  });

  it("of a rule without an end says what was held back when it is changed, and ends nothing", async () => {
    const store = new MemoryAlertStore();
    const made = (fingerprint: string) => incidents(EACH, { quietMs: 60 }, { store, fingerprint });
    const first = made("one");
    await first.yes(0);
    await first.yes(5);
    const [told, ...more] = await made("other").rule.open();
    should(more).be.empty();
    should(told).match({ kind: "alert", alert: { reminder: 1, suppressed: 1 } });
    should(await made("third").rule.open()).be.empty();
  });
});
