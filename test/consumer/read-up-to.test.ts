import should from "should";
import { EventConsumer, MemoryCursorStore } from "../../src/consumer/index.ts";
import { ReadingProgress } from "../../src/consumer/reading-progress.ts";
import { makeEvent, SimulatedChannel, SimulatedClock } from "./simulation.ts";

describe("up to when a channel was read", () => {
  it("is when the poll before began, of those that found the end with everything settled", () => {
    const progress = new ReadingProgress();
    const atEnd = { behind: 0, inFlight: 0 };
    should(progress.upTo).be.undefined();
    progress.polled(1_000, atEnd);
    should(progress.upTo).be.undefined();
    progress.polled(2_000, { behind: 0, inFlight: 1 });
    should(progress.upTo).be.undefined();
    progress.polled(3_000, { behind: 2, inFlight: 0 });
    should(progress.upTo).be.undefined();
    progress.polled(4_000, atEnd);
    should(progress.upTo).equal(3_000);
    // A channel without events.
    progress.polled(5_000, { behind: undefined, inFlight: 0 });
    should(progress.upTo).equal(4_000);
  });

  it("never goes back, also where the clock is set", () => {
    const progress = new ReadingProgress();
    for (const begunAt of [9_000, 9_500, 100, 200]) progress.polled(begunAt, { behind: 0, inFlight: 0 });
    should(progress.upTo).equal(9_000);
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
});
