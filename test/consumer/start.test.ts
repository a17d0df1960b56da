import should from "should";
import type { ConsumerStart } from "../../src/consumer/index.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

/** A place that was lost without notice looks like a channel in which nothing happens. */
describe("where a consumer starts", () => {
  /** A channel of five events, and what consumers on it said of their start. */
  const world = () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 5).map((offset) => makeEvent(offset)));
    const starts: ConsumerStart[] = [];
    const simulated = simulate({ source: channel, onStart: (start) => starts.push(start) });
    const run = async (options: Parameters<typeof simulated.make>[0]) => {
      const consumer = simulated.make(options);
      consumer.start();
      await simulated.clock.until(() => consumer.state.kind === "connected");
      await simulated.clock.pass(5_000);
      return consumer;
    };
    return { ...simulated, channel, starts, run };
  };

  it("is reported once, with the chosen position and the offset", async () => {
    for (const [start, after] of [
      ["now", 5],
      ["beginning", -1],
      [{ offset: 4 }, 3],
      [{ time: 1_700_000_000 }, -1],
    ] as const) {
      const { run, starts, end } = world();
      await end(await run({ start }));
      should(starts).deepEqual([{ from: "start", position: start, after }]);
    }
  });

  it("is reported as the stored cursor when there is one, whatever is chosen", async () => {
    const { run, starts, end } = world();
    await end(await run({ start: "beginning" }));
    await end(await run({ start: "now" }));
    should(starts[1]).deepEqual({ from: "stored", after: 5 });
    should(starts).have.length(2);
  });

  it("is reported again after a seek", async () => {
    const { run, starts, end, clock } = world();
    const consumer = await run({ start: "now" });
    consumer.seek(2);
    await clock.pass(5_000);
    should(starts[1]).deepEqual({ from: "seek", position: { offset: 2 }, after: 1 });
    await end(consumer);
    should(starts).have.length(2);
  });

  it("is reported only when it is stored, since it may change until then", async () => {
    const { run, starts, end, disk, clock, make, channel } = world();
    disk.fault = () => {
      throw new Error("The disk is full.");
    };
    const consumer = make({ start: "now" });
    consumer.start();
    await clock.pass(5_000);
    should(starts).be.empty();
    channel.publish(makeEvent(6));
    disk.fault = undefined;
    await clock.until(() => starts.length > 0);
    should(starts).deepEqual([{ from: "start", position: "now", after: 6 }]);
    await end(consumer);
    await end(await run({}));
  });

  it("is where the store says, which is told the position of a new consumer first", async () => {
    for (const other of [3, undefined]) {
      const { run, starts, end, disk, channel } = world();
      const store = disk.open();
      const firsts: number[] = [];
      const begin = async (first: CursorState): Promise<CursorState | undefined> => {
        firsts.push(first.cursor);
        // What comes meanwhile is not skipped.
        channel.publish(makeEvent(6));
        return other === undefined ? undefined : { ...first, cursor: other, floor: other, handedOut: other };
      };
      const told = { load: () => store.load(), save: store.save.bind(store), begin };
      await end(await run({ store: told, start: "now" }));
      should(firsts).deepEqual([5]);
      const start = { from: "start", position: "now", after: 5 };
      should(starts).deepEqual([other === undefined ? start : { from: "stored", after: other }]);
    }
  });

  it("does no harm when the listener throws", async () => {
    const { run, end, offsets } = world();
    const onStart = () => {
      throw new Error("The listener fails.");
    };
    await end(await run({ start: "beginning", onStart }));
    should(offsets()).deepEqual(range(1, 5));
  });

  it("marks events that may have been delivered since a backup of the cursor, and no later ones", async () => {
    const { run, channel, deliveries, disk, end, clock } = world();
    const restored: number[] = [];
    const onRestored = (upTo: number) => restored.push(upTo);
    await end(await run({ start: "beginning", onRestored }));
    const backup = structuredClone(disk.stored);
    channel.publish(makeEvent(6), makeEvent(7));
    await end(await run({ onRestored }));
    should(restored).be.empty();

    if (backup === undefined) throw new Error("Nothing was stored.");
    disk.stored = { ...backup, restored: true };
    const consumer = await run({ onRestored });
    channel.publish(makeEvent(8));
    await clock.pass(20_000);
    const last = deliveries.slice(-3);
    should(last.map((one) => [one.offset, one.restored, one.redelivered])).eql([
      [6, true, false],
      [7, true, false],
      [8, false, false],
    ]);
    should(restored).eql([7]);
    should(disk.stored).not.have.properties(["restored", "restoredUpTo"]);
    await end(consumer);
    await end(await run({ onRestored }));
    should(restored).eql([7]);
  });

  it("marks them after a crash as well", async () => {
    const { run, channel, deliveries, disk, end, make, clock } = world();
    await end(await run({ start: "beginning" }));
    channel.publish(makeEvent(6), makeEvent(7));
    if (disk.stored === undefined) throw new Error("Nothing was stored.");
    disk.stored = { ...disk.stored, restored: true };
    const store = disk.open();
    const first = make({ store, commit: "on-ack" });
    first.start();
    await clock.until(() => deliveries.length === 6);
    store.crash(false);
    await end(first);
    await end(await run({ commit: "on-send" }));
    should(deliveries.slice(-2).map(({ offset, restored }) => [offset, restored])).eql([
      [6, true],
      [7, true],
    ]);
  });
});
