import should from "should";
import {
  type ConsumerState,
  type EventConsumer,
  type EventConsumerOptions,
  findInFlight,
} from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { IDENTITY, makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

/** When the simulated clock starts, in Unix seconds. */
const NOW_S = 1_800_000_000;

/** A consumer in ack mode on a channel of `count` events, with what it rejected. */
function world(count: number, options: Partial<EventConsumerOptions> = {}) {
  const channel = new SimulatedChannel();
  channel.publish(...range(1, count).map((offset) => makeEvent(offset)));
  const rejected: Array<[offset: number, attempt: number, why: string]> = [];
  const simulated = simulate({
    source: channel,
    commit: "on-ack",
    onRejected: ({ offset, attempt }, why) => {
      rejected.push([offset, attempt, why]);
    },
    ...options,
  });
  const said = () =>
    simulated.deliveries.map(
      ({ offset, attempt, redelivered }) => `${offset}${redelivered ? ` again ${attempt}` : ""}`,
    );
  return { channel, rejected, said, ...simulated };
}

const waiting = (consumer: EventConsumer) =>
  consumer.state.kind === "connected" ? consumer.state.waitingForAcks : undefined;

describe("EventConsumer on ack", () => {
  it("hands over the next event when one was acknowledged", async () => {
    const { clock, disk, make, end, offsets } = world(3);
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    should(offsets()).eql([1]);
    should(consumer.state).containEql({ kind: "connected", behind: 4, waitingForAcks: 1 });
    should(consumer.ack("event-1")).equal(true);
    await clock.pass(5_000);
    should(offsets()).eql([1, 2]);
    should(disk.saves.at(-1)?.cursor).equal(1);
    await end(consumer);
    should(disk.stored?.cursor).equal(1);
  });

  it("stores an acknowledgement within a moment, although nothing else happens", async () => {
    const { clock, disk, make, end } = world(1);
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    consumer.ack("event-1");
    await clock.pass(200);
    should(disk.saves.at(-1)?.cursor).equal(1);
    await end(consumer);
  });

  it("sends an event again at once when the work on it was interrupted, in the same attempt", async () => {
    const { clock, make, end, said } = world(2, { ackTimeoutMs: Number.POSITIVE_INFINITY, maxAttempts: 1 });
    const consumer = make();
    consumer.start();
    await clock.pass(24 * 3_600_000);
    should(said()).eql(["1"]);
    should(consumer.isHeldUp).be.true();
    should([consumer.resend("event-1"), consumer.resend("event-2")]).eql([true, false]);
    should(said()).eql(["1", "1 again 1"]);
    consumer.ack("event-1");
    await clock.pass(5_000);
    should(said()).eql(["1", "1 again 1", "2"]);
    await end(consumer);
    should(consumer.isHeldUp).be.false();
  });

  it("returns whether an event was in flight, and ignores others", async () => {
    const { clock, make, end } = world(2);
    const consumer = make();
    should(consumer.ack("event-1")).equal(false);
    consumer.start();
    await clock.pass(5_000);
    should([consumer.ack("nonsense"), consumer.refuse("nonsense", { reject: true })]).eql([false, false]);
    should([consumer.ack("event-1"), consumer.ack("event-1")]).eql([true, false]);
    should(consumer.refuse("event-1", { afterMs: 1 })).equal(false);
    should(() => consumer.refuse("event-2", { afterMs: -1 })).throw({ path: "afterMs" });
    await clock.pass(1_000);
    should(() => consumer.refuse("event-2", { afterMs: Number.NaN })).throw({ path: "afterMs" });
    await end(consumer);
    should(consumer.ack("event-2")).equal(false);
  });

  it("has as many in flight as it may, and asks for nothing meanwhile", async () => {
    const { channel, clock, make, end, offsets } = world(500, { inFlight: 10, ackTimeoutMs: 3_600_000 });
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    should(offsets()).eql(range(1, 10));
    should(waiting(consumer)).equal(10);
    const polls = channel.polls.length;
    await clock.pass(600_000);
    should(channel.polls.length).equal(polls);
    for (const offset of [3, 7, 10]) consumer.ack(`event-${offset}`);
    await clock.pass(1_000);
    should(offsets()).eql(range(1, 13));
    await end(consumer);
  });

  it("asks for nothing while the last event of a page is in flight", async () => {
    const { channel, clock, make, end } = world(1, { ackTimeoutMs: 3_600_000 });
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    const polls = channel.polls.length;
    await clock.pass(600_000);
    should(channel.polls.length).equal(polls);
    await end(consumer);
  });

  it("takes an acknowledgement that is given while the event is handed over", async () => {
    const { clock, disk, make, end } = world(1_000);
    let delivered = 0;
    const consumer: EventConsumer = make({
      deliver: ({ event }) => {
        delivered += 1;
        consumer.ack(event.event_id);
      },
    });
    consumer.start();
    await clock.until(() => delivered === 1_000);
    await end(consumer);
    should(disk.stored).containEql({ cursor: 1_000, handedOut: 1_000 });
  });

  it("stores a cursor below the first unacknowledged event, and knows those above it", async () => {
    const { clock, disk, make, end, deliveries, said } = world(6, { inFlight: 5 });
    const first = make();
    first.start();
    await clock.pass(5_000);
    for (const offset of [1, 3, 5]) first.ack(`event-${offset}`);
    await clock.pass(1_000);
    await end(first);
    should(disk.stored?.cursor).equal(1);
    deliveries.length = 0;
    const second = make();
    second.start();
    await clock.pass(5_000);
    should(said()).eql(["2 again 1", "4 again 1", "6 again 1"]);
    await end(second);
  });

  it("repeats after a crash what was not acknowledged, marked", async () => {
    const { clock, disk, make, end, deliveries, said } = world(3, { inFlight: 2 });
    const store = disk.open();
    const first = make({ store });
    first.start();
    await clock.pass(5_000);
    first.ack("event-1");
    await clock.pass(1_000);
    store.crash(true);
    await end(first);
    deliveries.length = 0;
    const second = make();
    second.start();
    await clock.pass(5_000);
    // One at a time, to tell which one it is if the process ends again.
    should(said()).eql(["2 again 1"]);
    second.ack("event-2");
    await clock.pass(5_000);
    // Whether the third had been handed over is not known any more.
    should(said()).eql(["2 again 1", "3 again 1"]);
    await end(second);
  });

  describe("repeats", () => {
    it("sends again what is not acknowledged in time, rejects it after some attempts, and continues", async () => {
      const { clock, make, end, said, rejected } = world(2, { ackTimeoutMs: 10_000, maxAttempts: 3 });
      const consumer = make();
      consumer.start();
      await clock.pass(31_500);
      should(said()).eql(["1", "1 again 2", "1 again 3", "2"]);
      should(rejected).eql([[1, 3, "It was sent 3 times and not acknowledged within 10 s."]]);
      await end(consumer);
    });

    it("gives up after the first time where that is all it may", async () => {
      const { clock, make, end, said, rejected } = world(2, { ackTimeoutMs: 10_000, maxAttempts: 1 });
      const consumer = make();
      consumer.start();
      await clock.pass(10_500);
      should(said()).eql(["1", "2"]);
      should(rejected).eql([[1, 1, "It was sent once and not acknowledged within 10 s."]]);
      await end(consumer);
    });

    it("counts an acknowledgement of any attempt", async () => {
      const { clock, make, end, said } = world(2, { ackTimeoutMs: 10_000 });
      const consumer = make();
      consumer.start();
      await clock.pass(12_000);
      should(consumer.ack("event-1")).equal(true);
      await clock.pass(5_000);
      should(said()).eql(["1", "1 again 2", "2"]);
      await end(consumer);
    });

    it("sends what was refused again after the delay, and others meanwhile", async () => {
      const { clock, make, end, said } = world(3, { inFlight: 2 });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { afterMs: 30_000 });
      consumer.ack("event-2");
      await clock.pass(29_000);
      should(said()).eql(["1", "2", "3"]);
      await clock.pass(2_000);
      should(said()).eql(["1", "2", "3", "1 again 2"]);
      await end(consumer);
    });

    it("counts refusals as attempts, but not a second refusal of the same one", async () => {
      const { clock, make, end, said, rejected } = world(1, { maxAttempts: 2 });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { afterMs: 1_000 });
      consumer.refuse("event-1", { afterMs: 5_000 });
      await clock.pass(4_900);
      should(said()).eql(["1"]);
      await clock.pass(200);
      should(said()).eql(["1", "1 again 2"]);
      consumer.refuse("event-1", { afterMs: 1_000 });
      await clock.pass(0);
      should(rejected).eql([[1, 2, "It was sent 2 times and refused."]]);
      await end(consumer);
    });

    it("rejects immediately what is refused with `reject`, and passes the reason on", async () => {
      const { clock, make, end, said, rejected } = world(2);
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { reject: true, reason: "No such sensor." });
      await clock.pass(1_000);
      consumer.refuse("event-2", { reject: true });
      await clock.pass(0);
      should(said()).eql(["1", "2"]);
      should(rejected).eql([
        [1, 1, "No such sensor."],
        [2, 1, "It was refused."],
      ]);
      await end(consumer);
    });

    it("does not lose a rejected event when those who take it fail", async () => {
      let failures = 3;
      const taken: string[] = [];
      const { clock, disk, make, end, errors } = world(1, {
        onRejected: async (_, why) => {
          if (failures-- > 0) throw new Error("full");
          taken.push(why);
        },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { reject: true, reason: "bad" });
      await clock.pass(6_000);
      should(taken).eql([]);
      should(disk.saves.every(({ cursor }) => cursor === -1)).equal(true);
      await clock.pass(2_000);
      should(taken).eql(["bad"]);
      should(errors.map(({ code }) => code)).eql(["DELIVERY_FAILED"]);
      await end(consumer);
      should(disk.stored?.cursor).equal(1);
    });

    it("gives a rejected event again until it is acknowledged, where that is asked for, and no sooner", async () => {
      const { clock, make, end, rejected, errors, said } = world(2, {
        ackRejected: true,
        ackTimeoutMs: 10_000,
      });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { reject: true, reason: "bad" });
      await clock.pass(9_000);
      should(rejected.length).equal(1);
      consumer.pause();
      await clock.pass(20_000);
      should(rejected.length).equal(1);
      consumer.resume();
      await clock.pass(10_500);
      should(rejected).eql([
        [1, 1, "bad"],
        [1, 1, "bad"],
        [1, 1, "bad"],
      ]);
      should(said()).eql(["1"]);
      should(consumer.ack("event-1")).equal(true);
      await clock.pass(5_000);
      should(said()).eql(["1", "2"]);
      // Nothing went wrong.
      should(errors).eql([]);
      await end(consumer);
    });

    it("reports an event that is rejected when nothing receives it", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1), makeEvent(2));
      const { clock, make, end, errors, offsets } = simulate({ source: channel, commit: "on-ack" });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.refuse("event-1", { reject: true });
      await clock.pass(1_000);
      should(errors.map(({ code }) => code)).eql(["EVENT_REJECTED"]);
      should(offsets()).eql([1, 2]);
      await end(consumer);
    });

    it("sends it as it was, whatever the flow did to the first", async () => {
      const seen: unknown[] = [];
      const { clock, make, end } = world(1, {
        ackTimeoutMs: 1_000,
        deliver: ({ event: { payload } }: { event: EventEnvelope }) => {
          seen.push(payload.status);
          payload.status = "changed";
        },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(3_500);
      should(seen).eql(["active", "active", "active", "active"]);
      await end(consumer);
    });

    it("takes a hand-over that failed for an attempt", async () => {
      const { clock, make, end, errors } = world(1);
      const attempts: number[] = [];
      const consumer: EventConsumer = make({
        deliver: async ({ event, attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new Error("no");
          consumer.ack(event.event_id);
        },
      });
      consumer.start();
      await clock.pass(10_000);
      should(attempts).eql([1, 2, 3]);
      should(errors.map(({ code }) => code)).containEql("DELIVERY_FAILED");
      await end(consumer);
    });

    it("does not let one stuck event pile up what is done behind it", async () => {
      const { channel, clock, disk, make, end, deliveries } = world(5_000, {
        inFlight: 10,
        ackTimeoutMs: 3_600_000,
      });
      const consumer: EventConsumer = make({
        deliver: (delivery) => {
          deliveries.push(delivery);
          if (delivery.offset !== 2) consumer.ack(delivery.event.event_id);
        },
      });
      consumer.start();
      await clock.pass(60_000);
      should(deliveries.length).be.within(900, 1_100);
      should(deliveries.length).equal(new Set(deliveries.map(({ offset }) => offset)).size);
      const polls = channel.polls.length;
      await clock.pass(60_000);
      should(channel.polls.length).equal(polls);
      should(disk.saves.every(({ cursor }) => cursor <= 1)).equal(true);
      consumer.ack("event-2");
      await clock.until(() => deliveries.length === 5_000);
      await end(consumer);
    });
  });

  describe("fault and control", () => {
    it("keeps what is in flight when the service fails", async () => {
      const { channel, clock, make, end, said } = world(2, { inFlight: 5, ackTimeoutMs: 60_000 });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      channel.fault = () => {
        throw new CrecError("SERVICE_ERROR", "The service failed.");
      };
      await clock.pass(30_000);
      should(consumer.state.kind).equal("retrying");
      should([consumer.ack("event-1"), consumer.isInFlight("event-2")]).eql([true, true]);
      should(consumer.state.kind).equal("retrying");
      channel.fault = undefined;
      channel.publish(makeEvent(3));
      await clock.pass(27_000);
      consumer.ack("event-2");
      await clock.pass(60_000);
      should(said().slice(0, 3)).eql(["1", "2", "3"]);
      await end(consumer);
    });

    it("sends nothing while it is paused, and takes acknowledgements", async () => {
      const { clock, make, end, said } = world(4, { inFlight: 2, ackTimeoutMs: 10_000, maxAttempts: 2 });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      consumer.pause();
      await clock.pass(600_000);
      should(consumer.ack("event-1")).equal(true);
      await clock.pass(60_000);
      should(said()).eql(["1", "2"]);
      consumer.resume();
      await clock.pass(1_000);
      should(said()).eql(["1", "2", "2 again 2", "3"]);
      await end(consumer);
    });

    it("forgets what is in flight when it goes elsewhere", async () => {
      const { clock, disk, make, end, offsets } = world(10, { inFlight: 3 });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      consumer.ack("event-1");
      consumer.seek(8);
      should(consumer.ack("event-2")).equal(false);
      await clock.pass(500);
      should(disk.saves.at(-1)?.cursor).equal(7);
      await clock.pass(200_000);
      should([...new Set(offsets())]).eql([1, 2, 3, 8, 9, 10]);
      consumer.ack("event-8");
      await end(consumer);
      should(disk.stored?.cursor).equal(8);
    });

    it("stops immediately with events in flight, and sends none of them afterwards", async () => {
      const { clock, make, end, said } = world(3, { inFlight: 3, ackTimeoutMs: 5_000 });
      const consumer = make();
      should(consumer.isSettled("event-1", 1)).be.undefined();
      consumer.start();
      await clock.pass(2_000);
      consumer.ack("event-2");
      await end(consumer);
      await clock.pass(60_000);
      should(said()).eql(["1", "2", "3"]);
      should(consumer.isInFlight("event-1")).equal(false);
      should([1, 2].map((offset) => consumer.isSettled(`event-${offset}`, offset))).eql([false, true]);
    });

    it("is found by an event that it waits for", async () => {
      const { clock, make, end } = world(2);
      const one = make();
      const other = make({ identity: { ...IDENTITY, consumer: "other", channelId: "channel-2" } });
      should(findInFlight("event-1")).eql([]);
      one.start();
      other.start();
      await clock.pass(5_000);
      should(findInFlight("event-1").length).equal(2);
      should(findInFlight("event-1", "channel-2")[0]).equal(other);
      should(findInFlight("event-2")).eql([]);
      for (const consumer of findInFlight("event-1")) consumer.ack("event-1");
      should(findInFlight("event-1")).eql([]);
      await end(one);
      await end(other);
      should(findInFlight("event-2")).eql([]);
    });

    it("refuses limits that cannot work", () => {
      const { make } = world(0);
      should(() => make({ inFlight: 0 })).throw({ code: "INVALID_ARGUMENT", path: "inFlight" });
      should(() => make({ inFlight: 1.5 })).throw({ path: "inFlight" });
      should(() => make({ inFlight: 1_001 })).throw(/must be a whole number from 1 to 1000/);
      should(() => make({ maxAttempts: 0 })).throw(/must be a whole number of 1 or more/);
      should(() => make({ maxAttempts: 0 })).throw({ path: "maxAttempts" });
      should(() => make({ maxCrashes: -1 })).throw({ path: "maxCrashes" });
      should(() => make({ maxCrashes: 0 })).not.throw();
      should(() => make({ inFlight: 1_000, maxAttempts: 1, ackTimeoutMs: 1 })).not.throw();
      should(() => make({ ackTimeoutMs: 0 })).throw({ path: "ackTimeoutMs" });
      should(() => make({ catchUp: { skipOlderThanMs: 0 } })).throw({ path: "catchUp.skipOlderThanMs" });
    });
  });
});

describe("EventConsumer catching up", () => {
  const at = (offset: number, time: number): EventEnvelope => makeEvent(offset, { at: NOW_S + time });

  for (const commit of ["on-send", "on-ack"] as const) {
    it(`passes over what is too old, counts it, and moves past it (${commit})`, async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 1_000).map((offset) => at(offset, offset - 999.5)), makeEvent(1_001));
      const { clock, disk, make, end, deliveries, offsets } = simulate({
        source: channel,
        commit,
        catchUp: { skipOlderThanMs: 100_000 },
      });
      const consumer: EventConsumer = make({
        deliver: (delivery) => {
          deliveries.push(delivery);
          consumer.ack(delivery.event.event_id);
        },
      });
      consumer.start();
      await clock.until(() => offsets().includes(1_001));
      should(offsets()).eql(range(900, 1_001));
      should(consumer.state).containEql({ skipped: 899, delivered: 102 });
      await end(consumer);
      should(disk.stored?.cursor).equal(1_001);
    });
  }

  it("passes over what became old in an outage while it ran", async () => {
    const channel = new SimulatedChannel();
    channel.publish(at(1, 0));
    const { clock, make, end, offsets } = simulate({
      source: channel,
      catchUp: { skipOlderThanMs: 3_600_000 },
    });
    const consumer = make();
    consumer.start();
    await clock.pass(30_000);
    channel.fault = () => {
      throw new CrecError("SERVICE_UNREACHABLE", "There is nobody.");
    };
    await clock.pass(7_200_000);
    channel.publish(...range(2, 201).map((offset) => at(offset, 1_000)));
    channel.publish(...range(202, 401).map((offset) => at(offset, 7_000)));
    channel.fault = undefined;
    await clock.pass(120_000);
    should(offsets()).eql([1, ...range(202, 401)]);
    await end(consumer);
  });

  it("passes over an old event although it is the newest of its channel", async () => {
    const channel = new SimulatedChannel();
    channel.publish(at(1, -36_000), at(2, -35_000));
    const { clock, make, end, offsets } = simulate({
      source: channel,
      catchUp: { skipOlderThanMs: 3_600_000 },
    });
    const consumer = make();
    consumer.start();
    await clock.pass(30_000);
    should(offsets()).eql([]);
    should(consumer.state).containEql({ skipped: 2 });
    await end(consumer);
  });

  for (const [what, time] of Object.entries({
    "in the future": 7 * 86_400,
    "in milliseconds": NOW_S * 999,
    "long before the events beside it": -7 * 86_400,
  })) {
    it(`is not misled by one event that is dated ${what}`, async () => {
      const channel = new SimulatedChannel();
      channel.publish(at(1, -3), at(2, -2), at(3, time), at(4, -1));
      const { clock, make, end, offsets } = simulate({
        source: channel,
        catchUp: { skipOlderThanMs: 3_600_000 },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(30_000);
      should(offsets()).eql(range(1, 4));
      await end(consumer);
    });
  }
});

describe("EventConsumer telling", () => {
  it("shows counts now and then, and the last of them", async () => {
    const told: ConsumerState[] = [];
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 1_000).map((offset) => makeEvent(offset)));
    const { clock, make, end } = simulate({ source: channel, onState: (state) => told.push(state) });
    const consumer = make();
    consumer.start();
    await clock.pass(1_000);
    should(told.length).be.below(10);
    should(told.at(-1)).eql(consumer.state);
    should(consumer.state).containEql({ behind: 0, delivered: 1_000 });
    await end(consumer);
  });
});
