import should from "should";
import { inVariants } from "../support/variants.ts";
import { drainWithKills } from "./kill-runs.ts";
import { missing, problemsOnAck, problemsOnSend, repeatsOf } from "./kill-verdict.ts";

const EVENTS = 5_000;

/** The tests of a consumer whose process is killed so many times while it drains a channel. */
export function describeKills(kills: number): void {
  describe("a consumer whose process is killed", function () {
    this.timeout(120_000 + kills * 4_000);

    it(`gets every event on ack, first arrivals in order, and repetitions marked (${kills} kills)`, async () => {
      const run = await drainWithKills({ mode: "on-ack", events: EVENTS, kills, lifeMs: 250 });
      should(problemsOnAck(run, EVENTS)).eql([]);
      // And the kills came while it was at work.
      should(new Set(run.arrivals.map(({ life }) => life)).size).be.above(kills / 4);
      should(repeatsOf(run.arrivals).length).be.above(kills / 4);
    });

    // verdicts.test.ts gives the same checks histories that are wrong.
    inVariants(() => {
      it("would lose some if they were acknowledged before they are processed", async () => {
        const run = await drainWithKills({ mode: "commit-first", events: EVENTS, kills: 5, lifeMs: 1_000 });
        should(problemsOnAck(run, EVENTS).join("\n")).match(/^lost \d+/);
      });
    });

    it("loses on send what had been handed over and was not processed, and nothing else", async () => {
      const options = {
        mode: "on-send",
        events: EVENTS,
        kills: Math.max(5, kills / 5),
        lifeMs: 500,
      } as const;
      const run = await drainWithKills(options);
      should(problemsOnSend(run, EVENTS)).eql([]);
      // Otherwise this would say nothing.
      should(missing(run.done, EVENTS).length).be.above(0);
    });
  });
}
