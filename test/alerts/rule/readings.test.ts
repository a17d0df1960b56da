import should from "should";
import type { StoredState } from "../../../src/alerts/rule/records/key-form.ts";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import type {
  AlertInput,
  AlertSettings,
  AlertStore,
  AlertWhen,
  LogPlace,
} from "../../../src/alerts/types.ts";
import { logAt } from "../taken-back/logs.ts";
import { brief, makeRule, START } from "./make-rule.ts";

type Given = Partial<AlertInput> & Parameters<typeof logAt>[0];

/** Two watchers with different ABIs read one log: both events are signed, and have the same id. */
describe("AlertRule: several readings of one log", () => {
  const rule = (when: AlertWhen, more: Partial<AlertSettings> = {}, store?: AlertStore) => {
    const { rule } = makeRule(when, more, { ...(store && { store }), forEach: true });
    /** The reading of a log by a watcher: what became of it, with `!` where it contradicts another one. */
    return async (content: string, given: Given = {}): Promise<string> => {
      const { key = "", at = START, matches = true, amount, redelivered, ...place } = given;
      const log: LogPlace = logAt({ content, ...place });
      const { passed, outcomes, contradicts } = await rule.accept({
        ...{ id: `${log.transactionHash}:${log.logIndex}`, key, at, matches, log },
        ...(amount === undefined ? {} : { amount }),
        ...(redelivered === undefined ? {} : { redelivered }),
      });
      return [passed, ...outcomes.map(brief), contradicts && "!"].filter((one) => one).join(" ");
    };
  };
  const count2: AlertWhen = { kind: "count", times: 2, withinMs: 1_000 };

  it("each: raises one alert for each key", async () => {
    const give = rule({ kind: "each" });
    should(await give("from a")).equal("alert at 0");
    should(await give("from b")).equal("seen !");
    should(await give("from b", { confidence: "finalized" })).equal("seen !");
    should(await give("from a", { confidence: "finalized" })).equal("seen");
    should(await give("from c", { key: "c" })).equal("alert at 0 of c");
  });

  it("each: one that matches after one that did not is an alert", async () => {
    const give = rule({ kind: "each" });
    should(await give("other", { tx: 9 })).equal("alert at 0");
    should(await give("from b", { matches: false })).equal("no_match");
    should(await give("from a")).equal("alert at 0");
    should(await give("from b", { matches: false })).equal("no_match !");
  });

  it("each: what is delivered again gives its own alert again, and no other", async () => {
    const give = rule({ kind: "each" });
    should(await give("from a")).equal("alert at 0");
    should(await give("from b", { redelivered: true })).equal("seen !");
    should(await give("from a", { redelivered: true })).equal("alert at 0 repeated");
  });

  it("count: adds one for a log, and one for each log that says the same", async () => {
    const give = rule(count2);
    should(await give("from a")).equal("counted");
    should(await give("from b")).equal("seen !");
    should(await give("from a", { logIndex: "4" })).equal("alert at 0 count 2");
    should(await give("from b", { logIndex: "4" })).equal("seen !");
  });

  it("sum: adds the amount of one reading", async () => {
    const give = rule({ kind: "sum", field: "", limit: "10", withinMs: 1_000 });
    should(await give("from a", { amount: "6" })).equal("counted");
    should(await give("from b", { amount: "9" })).equal("seen !");
    should(await give("from c", { amount: "-" })).equal("undecided !");
    should(await give("from a", { tx: 2, amount: "4" })).equal("alert at 0 count 2 sum 10");
  });

  it("rate: counts one reading", async () => {
    const give = rule({ kind: "rate", factor: 1, withinMs: 10, comparedMs: 100, least: 2 });
    await give("before", { tx: 9, key: "before", at: START - 1_000 });
    should(await give("from a")).equal("counted");
    should(await give("from b")).equal("seen !");
    should(await give("from a", { tx: 2 })).equal("alert at 0 count 2");
  });

  it("absence: a log ends it once", async () => {
    const give = rule({ kind: "absence", forMs: 100 });
    should(await give("from a")).equal("counted");
    should(await give("from b")).equal("seen !");
  });

  it("a condition that holds by one reading does not end by another one", async () => {
    const give = rule({ kind: "each" }, { recovers: true, slackMs: 10 });
    should(await give("high")).equal("alert at 0");
    should(await give("low", { matches: false })).equal("no_match !");
    should(await give("low", { matches: false, confidence: "finalized", redelivered: true })).equal(
      "no_match !",
    );
    should(await give("higher")).equal("seen !");
    should(await give("low", { tx: 2, at: START + 1, matches: false })).equal("no_match recovered at 1");
  });

  it("a condition that does not hold by one reading may hold by another one", async () => {
    const give = rule({ kind: "each" }, { recovers: true });
    should(await give("low", { matches: false })).equal("no_match");
    should(await give("high")).equal("alert at 0 !");
    should(await give("low", { matches: false })).equal("no_match !");
    should(await give("high", { redelivered: true })).equal("alert at 0 repeated");
  });

  for (const confirmWithinMs of [undefined, 60_000]) {
    describe(`of a log that moves to another block${confirmWithinMs ? ", with alerts that are watched" : ""}`, () => {
      const there = { blockNumber: "101", logIndex: "7", at: START + 5 };
      const more = { slackMs: 100, confirmWithinMs };

      it("do not count there, in any order", async () => {
        for (const order of [
          ["from a", "from b"],
          ["from b", "from a"],
        ]) {
          const give = rule({ kind: "each" }, more);
          should([await give("from a"), await give("from b")]).deepEqual(["alert at 0", "seen !"]);
          for (const one of order) should(await give(one, there)).startWith("seen");
          should(await give("from c", there)).equal("seen !");
        }
      });

      it("do not count there, however many there were", async () => {
        const give = rule({ kind: "each" }, more);
        should(await give("from a")).equal("alert at 0");
        const others = Array.from({ length: 64 }, (_, index) => `from ${index}`);
        for (const one of others) should(await give(one)).equal("seen !");
        for (const one of others) should(await give(one, there)).equal("seen !");
      });

      it("do not count in a block of the same number and another time", async () => {
        const give = rule({ kind: "each" }, more);
        const again = { at: START + 5 };
        should([await give("from a"), await give("from a", again)]).deepEqual(["alert at 0", "seen"]);
        should(await give("from b", again)).equal("seen !");
      });

      it("may be another log in each other block, if not seen before: one of them counts there", async () => {
        const give = rule({ kind: "each" }, more);
        should(await give("from a")).equal("alert at 0");
        should(await give("from b", there)).equal("alert at 5");
        should([await give("from a", there), await give("from c", there)]).deepEqual(["seen !", "seen !"]);
      });

      it("are another log where the block of this number had another time", async () => {
        const give = rule({ kind: "each" }, more);
        should(await give("from a")).equal("alert at 0");
        should(await give("from b", { at: START + 5 })).equal("alert at 5");
        should(await give("from b", { tx: 2 })).equal("alert at 0");
      });
    });
  }

  it("are known across keys while the alert is watched", async () => {
    const give = rule({ kind: "each" }, { confirmWithinMs: 60_000 });
    should(await give("from a", { key: "a" })).equal("alert at 0 of a");
    should(await give("from b", { key: "b" })).equal("alert at 0 of b !");
    should(await give("from c", { key: "c", matches: false })).equal("no_match !");
  });

  it("remembers few of them", async () => {
    const store = new MemoryAlertStore();
    const give = rule(count2, {}, store);
    for (let index = 0; index < 100; index += 1) await give(`reading ${index}`);
    should(JSON.stringify((await store.read("="))?.value).length).be.below(1_500);
  });

  it("reads what an earlier version remembered", async () => {
    const store = new MemoryAlertStore();
    const give = rule(count2, {}, store);
    await give("from a");
    const { revision = 0, value } = (await store.read("=")) ?? {};
    const { logs, cells: _cells, ...state } = value as StoredState;
    const before = logs?.open.map(([, mark]) => ({ ...mark, tx: undefined, says: undefined }));
    await store.write("=", revision, JSON.parse(JSON.stringify({ ...state, marks: before })));
    const restarted = rule(count2, {}, store);
    should(await restarted("from a")).equal("seen");
    should(await restarted("from a", { logIndex: "4" })).equal("alert at 0 count 2");
  });

  it("does not take the retry of one for that of another, where the store failed", async () => {
    class Failing extends MemoryAlertStore {
      fails = true;
      override async write(key: string, revision: number, value: unknown): Promise<boolean> {
        const isWritten = await super.write(key, revision, value);
        if (this.fails && key !== "") throw new Error("The answer is lost");
        return isWritten;
      }
    }
    const store = new Failing();
    const give = rule({ kind: "each" }, {}, store);
    await should(give("from a")).be.rejected();
    store.fails = false;
    should(await give("from b")).equal("seen !");
    should(await give("from a")).equal("alert at 0 repeated");
  });
});
