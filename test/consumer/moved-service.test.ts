import should from "should";
import type { ConsumerStart } from "../../src/consumer/index.ts";
import { idOfUnnamed } from "../../src/protocol/events.ts";
import { type Habits, IDENTITY, makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

/** The same channel id, at another address: the service has moved, or is another one with a copy of the data. */
describe("a consumer whose service has another address", () => {
  const MOVED = { ...IDENTITY, service: "https://moved.test" };
  const started = async (
    makeEvents = (offset: number) => makeEvent(offset),
    habits: Partial<Habits> = {},
  ) => {
    const channel = new SimulatedChannel(habits);
    channel.publish(...range(1, 5).map(makeEvents));
    const starts: ConsumerStart[] = [];
    const world = simulate({ source: channel, onStart: (start) => starts.push(start) });
    const first = world.make({ identity: IDENTITY });
    first.start();
    await world.clock.pass(5_000);
    await world.end(first);
    const moved = world.make({ identity: MOVED });
    moved.start();
    await world.clock.until(() => moved.state.kind === "stopped");
    return { ...world, channel, starts, moved, stored: world.disk.stored };
  };
  const CODE = "CURSOR_OF_ANOTHER_CHANNEL";

  it("says how to go on, and goes on at the same offset: nothing is lost, and nothing comes twice", async () => {
    const { moved, errors, disk, clock, channel, offsets, starts, end, stored } = await started();
    should(errors.map(({ code }) => code)).eql([CODE]);
    should(errors[0]?.message).match(
      /If https:\/\/moved\.test is a new address of that service.*seek.*stored/,
    );
    should(disk.stored).equal(stored);
    channel.publish(makeEvent(6), makeEvent(7));
    moved.continueStored();
    await clock.pass(5_000);
    should(offsets()).eql(range(1, 7));
    should(starts.at(-1)).eql({ from: "stored", after: 5 });
    should(disk.stored?.identity).eql(MOVED);
    should(() => moved.continueStored()).throw({ code: "INVALID_ARGUMENT", message: /nothing to take over/ });
    await end(moved);
    const again = simulate({ source: channel });
    again.disk.stored = disk.stored;
    const last = again.make({ identity: MOVED, store: again.disk.open() });
    last.start();
    await again.clock.pass(5_000);
    should(last.state.kind).equal("connected");
    await again.end(last);
  });

  for (const direction of ["up", "down"] as const)
    for (const inclusive of [true, false])
      it(`finds the event whichever way pages lead: ${direction}, ${inclusive ? "from" : "after"} an offset`, async () => {
        const habits = { direction, inclusive };
        const { moved, clock, channel, offsets, end } = await started(undefined, habits);
        channel.publish(makeEvent(6));
        moved.continueStored();
        await clock.pass(30_000);
        should(offsets()).eql(range(1, 6));
        await end(moved);
      });

  it("asks the service again while it does not answer, and only then goes on", async () => {
    const { moved, clock, channel, offsets, disk, end, stored } = await started();
    channel.fault = () => {
      throw new Error("down");
    };
    moved.continueStored();
    await clock.pass(60_000);
    should(moved.state.kind).equal("retrying");
    should(disk.stored).equal(stored);
    channel.fault = undefined;
    channel.publish(makeEvent(6));
    await clock.pass(60_000);
    should(offsets()).eql(range(1, 6));
    await end(moved);
  });

  for (const [what, events, says] of [
    [
      "has another event there",
      [5, 6].map((at) => makeEvent(at, { id: `other-${at}` })),
      /has event other-5/,
    ],
    ["ends before", range(1, 4).map((at) => makeEvent(at)), /returns no event there/],
    ["is empty", [], /returns no event there/],
  ] as const) {
    it(`refuses, and leaves the cursor as it is, where the service ${what}`, async () => {
      const { moved, errors, clock, channel, disk, deliveries, stored } = await started();
      channel.visible = [...events];
      const before = deliveries.length;
      moved.continueStored();
      await clock.pass(5_000);
      should(moved.state.kind).equal("stopped");
      should(errors.map(({ code }) => code)).eql([CODE, CODE]);
      should(errors[1]?.message)
        .match(/remembers event event-5 at offset 5/)
        .and.match(says);
      should(disk.stored).equal(stored);
      should(deliveries).have.length(before);
    });
  }

  it("refuses where no id can be compared", async () => {
    const { moved, errors, clock } = await started((offset) =>
      makeEvent(offset, { id: idOfUnnamed(offset) }),
    );
    moved.continueStored();
    await clock.pass(5_000);
    should(errors[1]).match({ code: CODE, message: /remembers no event that could be compared/ });
  });

  it("refuses another channel, whatever a person says", async () => {
    const { make, clock, errors } = await started();
    const other = make({ identity: { ...MOVED, channelId: "channel-2" } });
    other.start();
    await clock.pass(5_000);
    other.continueStored();
    await clock.pass(5_000);
    should(other.state.kind).equal("stopped");
    should(errors.at(-1)?.message).not.match(/new address/);
  });
});
