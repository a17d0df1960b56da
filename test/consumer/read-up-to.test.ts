import should from "should";
import { EventConsumer } from "../../src/consumer/index.ts";
import { ReadingProgress } from "../../src/consumer/pages/reading-progress.ts";
import { MemoryCursorStore } from "../../src/storage/index.ts";
import { timeOf } from "../../src/timing/index.ts";
import { makeEvent, SimulatedChannel, SimulatedClock } from "./simulation.ts";

describe("up to when a channel was read", () => {
  it("is when the poll before began, of those that found the end with everything settled", () => {
    const progress = new ReadingProgress();
    const at = (ms: number) => ({ wall: ms, monotonic: ms });
    const atEnd = { behind: 0, inFlight: 0 };
    should(progress.upTo).be.undefined();
    progress.polled(at(1_000), atEnd);
    should(progress.upTo).be.undefined();
    progress.polled(at(2_000), { behind: 0, inFlight: 1 });
    should(progress.upTo).be.undefined();
    progress.polled(at(3_000), { behind: 2, inFlight: 0 });
    should(progress.upTo).be.undefined();
    progress.polled(at(4_000), atEnd);
    should(progress.upTo).deepEqual(at(3_000));
    // A channel without events.
    progress.polled(at(5_000), { behind: undefined, inFlight: 0 });
    should(progress.upTo).deepEqual(at(4_000));
  });

  it("follows the clock of the machine where it is set, and never runs ahead of it", () => {
    const read = { wall: 9_000, monotonic: 500 };
    const at = (now: number, elapsed: number) => timeOf(read, { now: () => now, elapsed: () => elapsed });
    should(at(9_100, 600)).equal(9_000);
    // Set back, and set ahead; or the machine slept.
    should(at(1_100, 600)).equal(1_000);
    should(at(99_000, 600)).equal(9_000);
  });

  it("waits for the acknowledgement of what was delivered, and for a service that is away", async () => {
    const clock = new SimulatedClock();
    const channel = new SimulatedChannel();
    channel.publish(makeEvent(1));
    const consumer = new EventConsumer({
      source: channel,
      store: new MemoryCursorStore(),
      identity: { consumer: "reads", channelId: "channel", service: "http://service.test" },
      start: "beginning",
      commit: "on-ack",
      proofWaitMs: 0,
      ackTimeoutMs: 1e9,
      inFlight: 5,
      clock,
      deliver: () => {},
    });
    consumer.start();
    await clock.pass(60_000);
    should(consumer.isInFlight("event-1")).be.true();
    should(consumer.readUpTo).be.undefined();
    consumer.ack("event-1");
    await clock.pass(60_000);
    const read = Number(consumer.readUpTo);
    should(read)
      .be.above(clock.now() - 60_000)
      .and.belowOrEqual(clock.now());
    channel.fault = () => {
      throw new Error("The service is away.");
    };
    const awayAt = clock.now();
    await clock.pass(600_000);
    should(consumer.readUpTo).be.belowOrEqual(awayAt);
    channel.fault = undefined;
    await clock.pass(600_000);
    should(consumer.readUpTo).be.above(awayAt);
    await consumer.stop();
  });

  for (const inFlight of [1, 5]) {
    it(`tells apart what was delivered and is not settled, with ${inFlight} in flight`, async () => {
      const clock = new SimulatedClock();
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const consumer = new EventConsumer({
        ...{ source: channel, store: new MemoryCursorStore(), start: "beginning", commit: "on-ack" },
        identity: { consumer: `delivers ${inFlight}`, channelId: "channel", service: "http://service.test" },
        ...{ proofWaitMs: 0, ackTimeoutMs: 1e9, inFlight, clock, deliver: () => {} },
      });
      const lag = () => clock.now() - (consumer.deliveredUpTo ?? 0);
      const pass = async () => {
        for (let minute = 0; minute < 5; minute += 1) {
          lag();
          await clock.pass(60_000);
        }
      };
      consumer.start();
      const since = clock.now();
      await pass();
      should(consumer.inFlight).have.length(1);
      should(consumer.inFlight[0]).have.properties({ eventId: "event-1", offset: 1 });
      should(consumer.inFlight[0]?.since).be.within(since, since + 60_000);
      should(consumer.readUpTo).be.undefined();
      should(lag()).be.belowOrEqual(120_000);
      // What it has not delivered is not passed over.
      for (let no = 2; no <= inFlight + 1; no += 1) channel.publish(makeEvent(no));
      const publishedAt = clock.now();
      await pass();
      should(consumer.deliveredUpTo).be.belowOrEqual(publishedAt);
      for (let no = 1; no <= inFlight; no += 1) consumer.ack(`event-${no}`);
      await pass();
      should(consumer.isInFlight(`event-${inFlight + 1}`)).be.true();
      should(lag()).be.belowOrEqual(120_000);
      channel.fault = () => {
        throw new Error("The service is away.");
      };
      const awayAt = clock.now();
      await pass();
      should(consumer.deliveredUpTo).be.belowOrEqual(awayAt);
      await consumer.stop();
    });
  }
});
