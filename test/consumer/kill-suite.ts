import should from "should";
import { inVariants } from "../support/variants.ts";
import { type Arrival, drainWithKills } from "./kill-runs.ts";
import { range } from "./simulation.ts";

const EVENTS = 5_000;

/** The tests of a consumer whose process is killed so many times while it drains a channel. */
export function describeKills(kills: number): void {
  describe("a consumer whose process is killed", function () {
    this.timeout(120_000 + kills * 4_000);

    it(`gets every event on ack, first arrivals in order, and repetitions marked (${kills} kills)`, async () => {
      const { arrivals, done } = await drainWithKills({ mode: "on-ack", events: EVENTS, kills, lifeMs: 250 });
      should(missing(done)).eql([]);
      should(firsts(arrivals).map(({ offset }) => offset)).eql(range(1, EVENTS));
      const repeats = repeatsOf(arrivals);
      should(repeats.filter(({ redelivered }) => !redelivered)).eql([]);
      // Nothing timed out: whatever came again did so in another life.
      should(new Set(arrivals.map(({ offset, life }) => `${offset} in ${life}`)).size).equal(arrivals.length);
      should(arrivals.every(({ attempt }) => attempt === 1)).equal(true);
      // And the kills came while it was at work.
      should(new Set(arrivals.map(({ life }) => life)).size).be.above(kills / 4);
      should(repeats.length).be.above(kills / 4);
    });

    inVariants(() => {
      it("would lose some if they were acknowledged before they are processed", async () => {
        const { done } = await drainWithKills({
          mode: "commit-first",
          events: EVENTS,
          kills: 5,
          lifeMs: 1_000,
        });
        should(missing(done).length).be.above(0);
      });
    });

    it("loses on send what had been handed over and was not processed, and nothing else", async () => {
      const { arrivals, done, inHand } = await drainWithKills({
        mode: "on-send",
        events: EVENTS,
        kills: kills / 5,
        lifeMs: 500,
      });
      should(firsts(arrivals).map(({ offset }) => offset)).eql(range(1, EVENTS));
      const wasInHand = (offset: number) => inHand.some((hand) => hand.has(offset));
      should(missing(done).filter((offset) => !wasInHand(offset))).eql([]);
      // The flow holds three, is at work on one, and is being given another.
      should(Math.max(...inHand.map(({ size }) => size))).be.belowOrEqual(5);
      // Otherwise this would say nothing.
      should(missing(done).length).be.above(0);
    });
  });
}

function missing(done: ReadonlySet<number>): number[] {
  return range(1, EVENTS).filter((offset) => !done.has(offset));
}

function firsts(arrivals: readonly Arrival[]): Arrival[] {
  const seen = new Set<number>();
  return arrivals.filter(({ offset }) => !seen.has(offset) && seen.add(offset));
}

function repeatsOf(arrivals: readonly Arrival[]): Arrival[] {
  const seen = new Set<number>();
  return arrivals.filter(({ offset }) => seen.has(offset) || !seen.add(offset));
}
