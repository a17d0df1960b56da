import should from "should";
import type { Delivery } from "../../src/consumer/index.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

const MINUTE_MS = 60_000;
const eventsAt = (offsets: readonly number[]) => offsets.map((offset) => makeEvent(offset));

/** A consumer on a channel, with what it handed over out of order. */
function read(channel: SimulatedChannel, options: Parameters<typeof simulate>[0] | object = {}) {
  const world = simulate({ source: channel, ...options });
  const lateOnes = () => world.deliveries.filter(({ late }) => late).map(({ offset }) => offset);
  return { ...world, lateOnes };
}

/** Offsets that were delivered twice or more. */
function repeated(deliveries: readonly Delivery[]): number[] {
  const offsets = deliveries.map(({ offset }) => offset);
  return offsets.filter((offset, index) => offsets.indexOf(offset) !== index);
}

describe("An event that becomes visible late", () => {
  it("is delivered, marked, when the first of sixty is 300 ms late", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt(range(1, 10)));
    const { clock, make, end, offsets, lateOnes } = read(channel);
    const consumer = make();
    consumer.start();
    await clock.pass(10 * MINUTE_MS);
    channel.publish(...eventsAt(range(12, 70)));
    await clock.until(() => offsets().includes(70));
    await clock.pass(300);
    channel.publish(makeEvent(11));
    await clock.pass(20_000);
    should(offsets()).eql([...range(1, 10), ...range(12, 70), 11]);
    should(lateOnes()).eql([11]);
    should(consumer.state).have.properties({ kind: "connected", behind: 0, late: 1 });
    await end(consumer);
  });

  it("is found where offsets are sparse", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt([1_000, 2_000, 4_000, 5_000]));
    const { clock, make, end, offsets } = read(channel);
    const consumer = make();
    consumer.start();
    await clock.pass(1_000);
    channel.publish(makeEvent(3_000));
    await clock.pass(2 * MINUTE_MS);
    should(offsets()).eql([1_000, 2_000, 4_000, 5_000, 3_000]);
    await end(consumer);
  });

  it("is found at 400 a second, late by up to half a second", async () => {
    const channel = new SimulatedChannel();
    const { clock, make, end, offsets, deliveries } = read(channel, { pageLimit: 200 });
    const consumer = make();
    consumer.start();
    let next = 1;
    const waiting: Array<{ at: number; offset: number }> = [];
    for (let step = 0; step < 250; step += 1) {
      for (const offset of range(next, next + 39))
        waiting.push({ at: clock.now() + ((offset * 7_919) % 500), offset });
      next += 40;
      const visible = waiting.filter(({ at }) => at <= clock.now());
      channel.publish(...eventsAt(visible.map(({ offset }) => offset)));
      for (const one of visible) waiting.splice(waiting.indexOf(one), 1);
      await clock.pass(100);
    }
    channel.publish(...eventsAt(waiting.map(({ offset }) => offset)));
    await clock.pass(3 * MINUTE_MS);
    should(offsets().sort((a, b) => a - b)).eql(range(1, 10_000));
    // In order, but for what says that it is not.
    let highest = 0;
    for (const { offset, late } of deliveries) {
      should(offset > highest || late).be.true();
      highest = Math.max(highest, offset);
    }
    await end(consumer);
  });

  it("is found within a minute or so while it is at most two minutes late", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt([1, 3]));
    const { clock, make, end, offsets } = read(channel);
    const consumer = make();
    consumer.start();
    await clock.pass(10 * MINUTE_MS);
    // A thousand others come in between.
    channel.publish(...eventsAt(range(5, 1_005)));
    await clock.pass(110_000);
    channel.publish(makeEvent(4));
    await clock.pass(80_000);
    should(offsets()).eql([1, 3, ...range(5, 1_005), 4]);
    // It is among the newest no more, and half an hour late.
    await clock.pass(30 * MINUTE_MS);
    channel.publish(makeEvent(2));
    await clock.pass(61 * MINUTE_MS);
    should(offsets().at(-1)).equal(2);
    await end(consumer);
  });

  it("is found, however late, among the newest 200, and below them for an hour", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt(range(1, 300).filter((offset) => offset !== 50 && offset !== 250)));
    const { clock, make, end, lateOnes, disk, deliveries } = read(channel);
    const consumer = make();
    consumer.start();
    await clock.pass(5 * 60 * MINUTE_MS);
    // Something has to be stored.
    channel.publish(makeEvent(301));
    await clock.pass(MINUTE_MS);
    should(disk.stored?.floor).be.within(50, 101);
    channel.publish(...eventsAt([50, 250]));
    await clock.pass(61 * MINUTE_MS);
    should(lateOnes()).eql([250]);
    should(repeated(deliveries)).eql([]);
    await end(consumer);
  });

  it("is found when it became visible while the consumer was not running", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt(range(1, 100).filter((offset) => offset !== 30)));
    const { clock, make, end, offsets, deliveries } = read(channel);
    const first = make();
    first.start();
    await clock.until(() => offsets().length === 99);
    await end(first);
    channel.publish(...eventsAt([30, 101]));
    const second = make();
    second.start();
    await clock.pass(5_000);
    should(offsets().slice(99).sort()).eql([101, 30].sort());
    should(repeated(deliveries)).eql([]);
    await end(second);
  });

  it("comes after new events: reading thousands again does not hold these up", async () => {
    const channel = new SimulatedChannel({ pageCap: 20 });
    channel.publish(...eventsAt(range(1, 2_000)));
    const { clock, make, end, offsets } = read(channel);
    const consumer = make();
    consumer.start();
    await clock.until(() => offsets().length === 2_000);
    // The first look below the window begins after a minute, and has 100 pages to read.
    await clock.pass(MINUTE_MS);
    const polls = channel.polls.length;
    channel.publish(makeEvent(2_001));
    await clock.until(() => offsets().includes(2_001));
    should(channel.polls.length - polls).be.below(10);
    await end(consumer);
  });
});

describe("What a consumer remembers", () => {
  it("is at most 50,000 events, however many arrive together, and none is delivered twice", async () => {
    const channel = new SimulatedChannel();
    const COUNT = 53_000;
    // Sorted once, not at each page.
    const all = eventsAt(range(1, COUNT));
    const source = {
      get: (eventId: string) => channel.get(eventId),
      poll: async ({ offset, limit }: { offset?: number; limit: number }) => {
        const from = offset === undefined ? COUNT - limit : Math.max(0, offset - 1);
        return { events: all.slice(from, from + limit), has_more: from + limit < COUNT };
      },
    };
    let remembered = 0;
    let count = 0;
    let stored: CursorState | undefined;
    const store = {
      load: async () => stored,
      save: async (state: CursorState) => {
        stored = state;
        remembered = Math.max(remembered, state.delivered.length);
      },
    };
    const { clock, make, end } = simulate({ source, store });
    const consumer = make({
      deliver: () => {
        count += 1;
      },
    });
    clock.activity = () => count + remembered;
    consumer.start();
    await clock.until(() => count === COUNT);
    await clock.pass(3 * 60 * MINUTE_MS);
    await end(consumer);
    should(count).equal(COUNT);
    should(remembered).be.within(40_000, 50_200);
    // After an hour, the newest are enough.
    should(stored?.delivered.length).equal(200);
  });

  it("is less where fewer of the newest are to be looked through", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt(range(1, 1_000)));
    const { clock, make, end, disk } = read(channel, { late: { events: 0 } });
    const consumer = make();
    consumer.start();
    await clock.pass(3 * 60 * MINUTE_MS);
    channel.publish(makeEvent(1_001));
    await clock.pass(MINUTE_MS);
    should(disk.stored?.floor).equal(1_000);
    await end(consumer);
  });

  it("costs an idle channel two events a look, and a page of them an hour", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...eventsAt(range(1, 1_000)));
    const { clock, make, end } = read(channel, { start: "now" });
    const consumer = make();
    consumer.start();
    await clock.pass(3 * 60 * MINUTE_MS);
    const before = channel.given;
    await clock.pass(24 * 60 * MINUTE_MS);
    const polls = (24 * 3_600) / 15;
    should(channel.given - before).be.belowOrEqual(2 * polls + 25 * 210);
    await end(consumer);
  });
});
