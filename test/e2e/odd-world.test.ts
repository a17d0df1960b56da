import should from "should";
import { chaosScenario, withFewerFaults } from "../consumer/chaos-scenario.ts";
import { makeEvent, PLAIN_HABITS } from "../consumer/simulation.ts";
import { killsOfNodeRed, withOddNodeRed } from "../support/odd-node-red.ts";

describe("events in on a service of odd habits", function () {
  this.timeout(180_000);

  it("says of an event that became visible below others that it is late", async () => {
    const lives = [[1, 2, 4], [3]];
    const events = lives.flatMap((offsets, life) =>
      offsets.map((offset) => ({ event: makeEvent(offset), life, afterMs: 0, lateMs: 0 })),
    );
    const world = withFewerFaults({ ...chaosScenario(1, 1), habits: PLAIN_HABITS, events });
    const arrivals = await withOddNodeRed(world, async ({ service, arrived }) => {
      service.publish(0);
      await arrived(({ length }) => length === 3);
      service.publish(1);
      return arrived(({ length }) => length === 4);
    });
    should(arrivals.map(({ offset, late, marked }) => [offset, late, marked])).eql([
      [1, false, false],
      [2, false, false],
      [4, false, false],
      [3, true, false],
    ]);
  });

  killsOfNodeRed({ worlds: 1, kills: 4 });
});
