import { EventEmitter } from "node:events";
import type { NodeAPI } from "node-red";
import should from "should";
import type { FleetRef } from "../../nodes/common/fleet/fleet.ts";
import { joinFleet } from "../../nodes/common/fleet/join-fleet.ts";

const RED = {
  events: new EventEmitter(),
  log: { info: () => {} },
  _: (key: string) => key,
} as unknown as NodeAPI;

/** Nothing is connected before the first call. */
function fleetWith(leaseMs: number): FleetRef {
  const settings = { url: "redis://127.0.0.1:6379", namespace: "", leaseMs };
  return { problem: undefined, settings, origin: undefined };
}

describe("joinFleet", () => {
  it("has one id for a process in each fleet: another one in another fleet, the same one after a deploy", async () => {
    const [short, again, long] = [
      await joinFleet(RED, fleetWith(1_000)),
      await joinFleet(RED, fleetWith(1_000)),
      await joinFleet(RED, fleetWith(60_000)),
    ];
    const { id } = short.fleet.copy;
    should(again.fleet.copy.id).equal(id);
    should(long.fleet.copy.id).not.equal(id);
    for (const { leave } of [short, again, long]) await leave();
    const next = await joinFleet(RED, fleetWith(1_000));
    should(next.fleet.copy.id).equal(id);
    await next.leave();
  });
});
