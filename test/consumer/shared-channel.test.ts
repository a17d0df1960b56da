import should from "should";
import { type EventConsumer, type JoinOptions, joinChannel } from "../../src/consumer/index.ts";
import type { EventCalls } from "../../src/consumer/source.ts";
import { CrecError } from "../../src/errors.ts";
import { makeEvent, range, SimulatedChannel, SimulatedClock, SimulatedDisk, simulate } from "./simulation.ts";

const never = new AbortController().signal;
let names = 0;

/** A channel and its readers, which use one client. */
function world() {
  const channel = new SimulatedChannel();
  const signals: AbortSignal[] = [];
  const calls: EventCalls = {
    poll: (_id, { limit = 200, ...params }, { signal }) => {
      signals.push(signal);
      return channel.poll({ ...params, limit });
    },
    get: (_id, eventId) => channel.get(eventId),
  };
  const clock = new SimulatedClock();
  const running: EventConsumer[] = [];
  let delivered = 0;
  clock.activity = () => channel.polls.length + delivered;
  const join = (options: JoinOptions = {}) => joinChannel(calls, "channel-1", { clock, ...options });
  type Options = Parameters<ReturnType<typeof simulate>["make"]>[0];
  /** A consumer of its own name, with what it delivered. */
  const run = (options: Options = {}, joining: JoinOptions = {}) => {
    names += 1;
    const reader = join(joining);
    const offsets: number[] = [];
    const { make } = simulate({ source: reader.source });
    const consumer = make({
      ...{ clock, pace: reader.pace, store: new SimulatedDisk().open(), proofWaitMs: 0 },
      identity: { consumer: `sharing ${names}`, channelId: "channel-1", service: "http://service.test" },
      random: Math.random,
      deliver: ({ offset }) => {
        offsets.push(offset);
        delivered += 1;
      },
      ...options,
    });
    consumer.start();
    running.push(consumer);
    return { consumer, offsets, reader };
  };
  const end = async () => {
    let over = false;
    void Promise.all(running.map((one) => one.stop())).then(() => {
      over = true;
    });
    await clock.until(() => over);
  };
  return { channel, calls, clock, join, run, signals, end };
}

/** The calls of so many readers in `ms`, after a start. */
async function callsOf(count: number, { publishes = false, ms = 600_000 } = {}): Promise<number> {
  const { channel, clock, run, end } = world();
  channel.publish(...range(1, 20).map((offset) => makeEvent(offset)));
  const readers = range(1, count).map(() => run());
  await clock.until(() => readers.every(({ consumer }) => consumer.state.kind === "connected"));
  await clock.pass(60_000);
  const before = channel.polls.length;
  for (let offset = 21; offset <= 80; offset += 1) {
    if (publishes) channel.publish(makeEvent(offset));
    await clock.pass(ms / 60);
  }
  const made = channel.polls.length - before;
  if (publishes) {
    await clock.pass(30_000);
    for (const { offsets } of readers) should(offsets).deepEqual(range(1, 80));
  }
  await end();
  return made;
}

describe("the readers of one channel", () => {
  it("make about as many calls as one, while nothing happens", async () => {
    const alone = await callsOf(1);
    for (const count of [4, 10, 100]) should(await callsOf(count)).be.belowOrEqual(1.2 * alone);
  });

  it("make about as many calls as one while events arrive, and each delivers all of them in order", async () => {
    const alone = await callsOf(1, { publishes: true });
    for (const count of [4, 10])
      should(await callsOf(count, { publishes: true })).be.belowOrEqual(1.2 * alone);
  });

  it("make about as many calls as one when they were started one after another", async () => {
    const { channel, clock, run, end } = world();
    channel.publish(...range(1, 20).map((offset) => makeEvent(offset)));
    for (let count = 0; count < 10; count += 1) {
      run();
      await clock.pass(7_300);
    }
    await clock.pass(4 * 3_600_000);
    const before = channel.polls.length;
    await clock.pass(600_000);
    const made = channel.polls.length - before;
    await end();
    should(made).be.belowOrEqual(1.2 * (await callsOf(1)));
  });

  it("wake together when the first of them is due, and leave no timer when they stop", async () => {
    const { clock, join } = world();
    const [one, other] = [join(), join()];
    const woken: number[] = [];
    const begun = clock.elapsed();
    const aborted = new AbortController();
    for (const [{ pace }, ms] of [
      [one, 9_000],
      [other, 4_000],
    ] as const)
      void pace.sleep(ms, never).then(() => woken.push(clock.elapsed() - begun));
    const left = one.pace.sleep(1_000, aborted.signal);
    aborted.abort();
    await left;
    await clock.pass(20_000);
    should(woken).deepEqual([4_000, 4_000]);
    should(clock.sleeping).equal(0);
  });

  it("each get every answer once: a request that is repeated is made again", async () => {
    const { channel, join } = world();
    const [one, other] = [join(), join()];
    const poll = ({ source }: typeof one) => source.poll({ limit: 1 }, never);
    await Promise.all([poll(one), poll(other)]);
    should(channel.polls).have.length(1);
    await poll(one);
    await poll(other);
    should(channel.polls).have.length(2);
    await poll(other);
    await other.source.get("event-1", never).catch(() => {});
    await one.source.get("event-1", never).catch(() => {});
    should(channel.polls).have.length(3);
    should(channel.gets).have.length(2);
  });

  it("get no answer that is older than the last one they got, nor one that is half a second old", async () => {
    const { channel, clock, join } = world();
    const [one, other] = [join(), join()];
    const at = (reader: typeof one, offset: number) => reader.source.poll({ limit: 1, offset }, never);
    await at(one, 1);
    await at(other, 2);
    await at(other, 1);
    should(channel.polls).have.length(3);
    await at(one, 2);
    should(channel.polls).have.length(3);
    await clock.pass(501);
    await at(one, 1);
    should(channel.polls).have.length(4);
  });

  it("may change what they get without changing what the others get", async () => {
    const { channel, join } = world();
    channel.publish(makeEvent(1));
    const [one, other] = [join(), join()];
    const polls = [one, other].map(({ source }) => source.poll({ limit: 1 }, never));
    const [first, second] = await Promise.all(polls);
    for (const event of first?.events ?? []) event.headers.type = "changed";
    should(second?.events[0]?.headers.type).equal("watcher.status");
    for (const event of second?.events ?? []) event.headers.type = "changed";
    const third = await join().source.poll({ limit: 1 }, never);
    should(third.events[0]?.headers.type).equal("watcher.status");
  });

  it("get the error of a request together, and none of them gets it again", async () => {
    const { channel, join } = world();
    const [one, other] = [join(), join()];
    channel.fault = () => {
      throw new CrecError("SERVICE_ERROR", "It failed.");
    };
    for (const { source } of [one, other])
      await should(source.poll({ limit: 1 }, never)).be.rejectedWith({ code: "SERVICE_ERROR" });
    should(channel.polls).have.length(2);
  });

  it("do not end a request that others wait for; the last one who leaves does", async () => {
    const { channel, signals, join } = world();
    const answer = Promise.withResolvers<void>();
    channel.fault = () => answer.promise;
    const leaving = [new AbortController(), new AbortController()] as const;
    const readers = [join(), join()];
    const polls = readers.map(({ source }, index) =>
      source.poll({ limit: 1 }, leaving[index]?.signal ?? never),
    );
    leaving[0].abort("enough");
    await should(polls[0]).be.rejectedWith({ code: "ABORTED", cause: "enough" });
    should(signals.map(({ aborted }) => aborted)).deepEqual([false]);
    // The same reader asks again: it may not wait for what it left.
    const again = readers[0]?.source.poll({ limit: 1 }, never);
    should(signals).have.length(2);
    leaving[1].abort();
    await should(polls[1]).be.rejectedWith({ code: "ABORTED" });
    should(signals.map(({ aborted }) => aborted)).deepEqual([true, false]);
    answer.resolve();
    await again;
  });

  it("deliver in order while one of them is behind, and ends up with the others", async () => {
    const { channel, clock, run, end } = world();
    channel.habits.pageCap = 5;
    channel.publish(...range(1, 300).map((offset) => makeEvent(offset)));
    const ahead = run({ start: "now" });
    const behind = run({ start: "beginning" });
    await clock.until(() => behind.offsets.length === 300);
    await clock.pass(30_000);
    const before = channel.polls.length;
    channel.publish(makeEvent(301));
    await clock.pass(15_000);
    should(behind.offsets).deepEqual(range(1, 301));
    should(ahead.offsets).deepEqual([301]);
    should(channel.polls.length - before).be.below(12);
    await end();
  });

  it("ask for all types together as soon as they have caught up and one of them wants all", async () => {
    const { channel, clock, run, end } = world();
    const type = "watcher.event" as const;
    const events = range(1, 40).map((offset) =>
      makeEvent(offset, { type: offset % 2 ? type : "query.status" }),
    );
    channel.publish(...events.slice(0, 20));
    const typed = run({ types: [type] }, { type });
    await clock.pass(30_000);
    should(channel.polls.filter((one) => one.type === type)).not.be.empty();
    const all = run();
    await clock.pass(60_000);
    const before = channel.polls.length;
    for (const event of events.slice(20)) {
      channel.publish(event);
      await clock.pass(5_000);
    }
    should(channel.polls.slice(before).filter((one) => one.type === type)).be.empty();
    should(typed.offsets).deepEqual(range(1, 40).filter((offset) => offset % 2));
    should(all.offsets).deepEqual(range(1, 40));
    all.consumer.stop();
    all.reader.leave();
    channel.publish(makeEvent(41, { type }));
    await clock.pass(30_000);
    should(typed.offsets.at(-1)).equal(41);
    should(typed.consumer.state.kind).equal("connected");
    await end();
  });

  it("know how long their requests wait for their turn", async () => {
    const { calls, clock } = world();
    const turn = Promise.withResolvers<void>();
    const slow: EventCalls = {
      ...calls,
      poll: async (id, params, options) => {
        const begun = clock.elapsed();
        await turn.promise;
        if (options.background !== true) options.background(clock.elapsed() - begun);
        return calls.poll(id, params, options);
      },
    };
    const reader = joinChannel(slow, "channel-1", { clock });
    should(reader.turnMs).equal(0);
    const polled = reader.source.poll({ limit: 1 }, never);
    await clock.pass(40_000);
    should(reader.turnMs).equal(40_000);
    turn.resolve();
    await polled;
    await clock.pass(1_000);
    should(reader.turnMs).equal(40_000);
    await reader.source.poll({ limit: 1 }, never);
    should(reader.turnMs).equal(0);
  });

  it("make a look-up once for all", async () => {
    const { clock, join } = world();
    const readers = [join(), join(), join()];
    let asked = 0;
    const look = (reader: (typeof readers)[number] | undefined, maxAgeMs: number) =>
      reader?.once("watchers", async () => ++asked, { signal: never, maxAgeMs });
    should(await Promise.all([look(readers[0], 0), look(readers[1], 0)])).deepEqual([1, 1]);
    await clock.pass(1_000);
    should(await look(readers[2], 2_000)).equal(1);
    should(await look(readers[0], 2_000)).equal(2);
    await clock.pass(3_000);
    should(await look(readers[1], 2_000)).equal(3);
  });

  it("are those of one client, and the channel is forgotten when all have left", async () => {
    const { calls, channel, clock, join } = world();
    const [one, other] = [join(), joinChannel({ ...calls }, "channel-1", { clock })];
    await Promise.all([one, other].map(({ source }) => source.poll({ limit: 1 }, never)));
    should(channel.polls).have.length(2);
    await clock.pass(10_000);
    one.leave();
    const next = join();
    should(next.pace.elapsed()).equal(0);
    // One who has left already does not take the channel from the others.
    one.leave();
    await clock.pass(1_000);
    should(join().pace.elapsed()).equal(1_000);
  });
});
