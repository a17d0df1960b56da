import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule, START } from "./make-rule.ts";

class SharedMemoryStore extends MemoryAlertStore {
  readonly isShared = true;
}

const HOUR = 60 * 60_000;

describe("AlertRule: several copies with one store", () => {
  const copies = () => {
    const store = new SharedMemoryStore();
    const clock = { now: START + HOUR };
    const copy = (more = {}) =>
      makeRule(
        { kind: "absence", forMs: 100 },
        { recovers: true, ...more },
        { store, forEach: true, now: () => clock.now },
      );
    return { store, clock, copy };
  };

  it("takes over the keys of another copy", async () => {
    const { copy, clock } = copies();
    const [first, second] = [copy(), copy()];
    should(await second.upTo(0)).equal("");
    await first.at(10, { key: "a" });
    // The first copy is gone. The second one looks again after ten seconds.
    should(await second.upTo(200)).equal("");
    clock.now += 10_000;
    should(await second.upTo(201)).equal("alert at 201 of a count 0");
    should(await first.upTo(202)).equal("");
  });

  it("notices what another copy did to a key that it knows", async () => {
    const { copy, clock } = copies();
    const [first, second] = [copy(), copy()];
    await first.at(10, { key: "a" });
    await second.at(20, { key: "a" });
    should(await first.upTo(115)).equal("");
    should(await second.upTo(120)).equal("alert at 120 of a count 0");
    should(await first.at(130, { key: "a" })).equal("counted, recovered at 130 of a");
    clock.now += 10_000;
    should(await second.upTo(229)).equal("");
    should(await second.upTo(230)).equal("alert at 230 of a count 0");
  });

  it("raises the alert again that another copy could not send", async () => {
    const { store } = copies();
    const copy = () => makeRule({ kind: "each" }, { confirmWithinMs: 1_000 }, { store });
    const [first, second] = [copy(), copy()];
    const log = logAt({});
    await second.at(1);
    should(await first.at(2, { log })).equal("alert at 2");
    should(await second.at(2, { log, redelivered: true })).equal("alert at 2 repeated");
  });

  it("writes what it waits for again each hour, so that a store that forgets old records keeps it", async () => {
    const { copy, clock, store } = copies();
    const { at, upTo } = copy();
    const revisions = async () =>
      Promise.all(["", "=a", "=b"].map(async (key) => (await store.read(key))?.revision));
    await at(10, { key: "a" });
    should(await upTo(110)).equal("alert at 110 of a count 0");
    await at(120, { key: "b" });
    const [rule = 0, waiting = 0, counted = 0] = await revisions();
    clock.now += HOUR;
    await upTo(111);
    should(await revisions()).deepEqual([rule + 1, waiting + 1, counted]);
    clock.now += HOUR / 2;
    await upTo(112);
    should(await revisions()).deepEqual([rule + 1, waiting + 1, counted]);
  });
});
