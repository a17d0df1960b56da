import should from "should";
import type { Lease } from "../../src/ownership/index.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { type ChaosArrival, problemOf, verdictOn } from "./chaos-verdict.ts";
import type { Arrival, Collected } from "./kill-runs.ts";
import { problemsOnAck, problemsOnSend } from "./kill-verdict.ts";
import { forward, KEY, ReaderWorld } from "./lease-reader.ts";

/** The tests with kills, random worlds and several copies use these checks. Their variants run broken consumers. */
describe("the checks of long tests find, in a history made by hand,", () => {
  const arrival = (offset: number, more: Partial<Arrival> = {}): Arrival => ({
    ...{ offset, redelivered: false, attempt: 1, life: 0 },
    ...more,
  });
  const history = (arrivals: Arrival[], done: number[], inHand: number[] = []): Collected => ({
    ...{ arrivals, done: new Set(done), inHand: [new Set(inHand)] },
  });

  it("what a killed consumer does wrong on ack", () => {
    const again = arrival(2, { redelivered: true, life: 1 });
    const [one, two] = [arrival(1), arrival(2)];
    should(problemsOnAck(history([one, two, again], [1, 2]), 2)).eql([]);
    for (const [wrong, found] of [
      [history([one, two], [1]), "lost 2"],
      [history([two, one], [1, 2]), "2 came first instead of 1"],
      [history([one], [1, 2]), "nothing came first instead of 2"],
      [history([one, two, arrival(3)], [1, 2]), "3 does not exist"],
      [history([one, two, { ...again, redelivered: false }], [1, 2]), "unmarked 2"],
      [history([one, two, { ...again, life: 0 }], [1, 2]), "twice 2 in life 0"],
      [history([one, arrival(2, { attempt: 2 })], [1, 2]), "attempt 2 of 2"],
    ] as const)
      should(problemsOnAck(wrong, 2)).eql([found]);
  });

  it("what a killed consumer does wrong on send", () => {
    const all = [1, 2, 3, 4, 5, 6];
    const arrivals = all.map((offset) => arrival(offset));
    should(problemsOnSend(history(arrivals, [1, 2, 3, 4, 5], [6]), 6)).eql([]);
    should(problemsOnSend(history(arrivals, [1, 2, 3, 4, 5]), 6)).eql(["lost 6"]);
    should(problemsOnSend(history(arrivals, [], all), 6)).eql(["6 in hand"]);
    should(problemsOnSend(history(arrivals.slice(1), all), 6)).eql(["2 came first instead of 1"]);
  });

  it("what a consumer does wrong in a random world", () => {
    const came = (id: string, offset: number, more: Partial<ChaosArrival> = {}): ChaosArrival => ({
      ...{ id, offset, redelivered: false, late: false },
      ...more,
    });
    const problem = (arrivals: ChaosArrival[], done = ["a", "b"]) =>
      problemOf(verdictOn(arrivals, { wanted: new Set(["a", "b"]), done: new Set(done) }));
    const [a, b] = [came("a", 1), came("b", 2)];
    should(problem([b, came("a", 1, { late: true }), came("b", 2, { redelivered: true })])).be.undefined();
    should(problem([a, b], ["a"])).equal("1 lost (b)");
    should(problem([a, b, a])).equal("1 unmarked (a)");
    should(problem([b, a])).equal("1 outOfOrder (a)");
    should(problem([a, b, came("c", 3)])).equal("1 unwanted (c)");
  });

  it("what several copies do wrong with a lease", async () => {
    const world = () => new ReaderWorld((engine) => ({ ...forward(engine), save: async () => true }));
    const brokenBy = async (act: (world: ReaderWorld) => unknown) => {
      const made = world();
      await act(made);
      return made.broken;
    };
    const sure = { isSure: true, epoch: 1 } as Lease;
    const saved = (...saves: Array<[epoch: number, cursor: number]>) =>
      brokenBy(async ({ engine }) => {
        for (const [epoch, cursor] of saves) await engine.save(KEY, epoch, { cursor } as CursorState, 1);
      });
    should(await saved([1, 5], [2, 5])).be.undefined();
    should(await saved([2, 5], [1, 6])).equal("A save with epoch 1 came after one with 2.");
    should(await saved([1, 5], [2, 4])).equal("The cursor went back from 5 to 4.");
    const bothSure = (one: ReaderWorld) => {
      for (const name of ["a", "b"]) one.add(name).leases.set(KEY, sure);
      one.check();
    };
    should(await brokenBy(bothSure)).equal(`a and b are sure of ${KEY}.`);
    const handsOver = (one: ReaderWorld) => {
      one.add("b").leases.set(KEY, sure);
      one.noteDelivery(one.add("a"));
    };
    should(await brokenBy(handsOver)).equal("a hands over what b has the lease of.");
    const made = world();
    for (const redelivered of [false, true, false])
      made.sent.push({ copy: "a", offset: 1, redelivered, attempt: 1, epoch: 1 });
    should(made.unmarked).eql([1]);
  });
});
