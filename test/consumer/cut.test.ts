import fc from "fast-check";
import should from "should";
import type { EventConsumer, EventConsumerOptions, StartPosition } from "../../src/consumer/index.ts";
import { sized } from "../support/variants.ts";
import { describeWide, itWide } from "../support/wide.ts";
import { channelOf, MODES } from "./behaviour-tests.ts";
import { habits } from "./generators.ts";
import { type Habits, makeEvent, range, simulate } from "./simulation.ts";

const FIRST = 1_000;
const LAST = 1_066;
const TIME_S = 1_700_000_000;
const eventAt = (offset: number) => makeEvent(offset, { at: TIME_S + offset });

type World = {
  commit: (typeof MODES)[number];
  start?: StartPosition;
  /** A position to go to after the start. */
  seek?: StartPosition;
  /** A kill comes before anything is saved in the background. */
  ending?: "stop" | "kill";
  habits?: Partial<Habits>;
  options?: Partial<EventConsumerOptions>;
  first?: number;
};

/** A consumer that took events, settled none of them, and ended. */
async function interrupted({
  commit,
  start = "beginning",
  seek,
  ending = "stop",
  habits = {},
  options = {},
  first = FIRST,
}: World) {
  const channel = channelOf([], habits);
  const delivered: number[] = [];
  let settles = false;
  const { clock, disk, errors, make, end } = simulate({
    ...{ source: channel, commit, start, inFlight: 20, ackTimeoutMs: 3_600_000 },
    ...options,
  });
  const boot = (store = disk.open()) => {
    const consumer: EventConsumer = make({
      store,
      deliver: ({ offset, event }) => {
        delivered.push(offset);
        if (settles) consumer.ack(event.event_id);
        return settles || commit === "on-ack" ? undefined : new Promise<void>(() => {});
      },
    });
    consumer.start();
    return consumer;
  };
  const store = disk.open();
  const consumer = boot(store);
  await clock.pass(5_000);
  channel.publish(...range(first, LAST).map(eventAt));
  if (seek !== undefined) consumer.seek(seek);
  const count = commit === "on-send" ? 1 : 20;
  await clock.until(() => delivered.length === count, 120_000);
  should(delivered).eql(range(first, first + count - 1));
  if (ending === "kill") store.crash(false);
  await end(consumer);
  /** What the consumer delivers and reports when the service has these events. */
  const restart = async (kept: readonly number[]) => {
    delivered.splice(0);
    errors.splice(0);
    settles = true;
    channel.visible = kept.map(eventAt);
    const again = boot();
    await clock.pass(60_000);
    await end(again);
    const said = errors.map(({ message }) => /offset (\d+(?: to \d+)?) may/.exec(message)?.[1]);
    return { delivered: [...delivered], said, codes: errors.map(({ code }) => code) };
  };
  return { channel, disk, restart };
}

/** The first event that is kept: all of them, some, none. */
const FEW_CUTS = [FIRST, FIRST + 30, LAST + 100];
const CUTS = [FIRST, FIRST + 1, FIRST + 10, FIRST + 30, LAST + 1, LAST + 100];

/** Restarts without a cut, and after one inside and above the events that were handed over. */
async function reportsCuts(world: World, cuts: readonly number[] = FEW_CUTS): Promise<void> {
  for (const keptFrom of cuts) {
    const { restart } = await interrupted(world);
    const kept = range(keptFrom, LAST + 150);
    const { delivered, said, codes } = await restart(kept);
    should(delivered).eql(kept);
    const lost = keptFrom === FIRST + 1 ? `${FIRST}` : `${FIRST} to ${keptFrom - 1}`;
    should(said).eql(keptFrom === FIRST ? [] : [lost]);
    should(codes).eql(keptFrom === FIRST ? [] : ["EVENTS_NOT_KEPT"]);
  }
}

describe("A cut before the first settled event", () => {
  for (const commit of MODES)
    for (const ending of ["stop", "kill"] as const)
      it(`is reported after a ${ending}, ${commit}`, () => reportsCuts({ commit, ending }));

  it("is reported where pages lead down", () =>
    reportsCuts({ commit: "on-ack", habits: { direction: "down" } }));

  it("is reported where events were sent and nothing was saved since", async () => {
    const channel = channelOf(range(FIRST, LAST));
    const { clock, disk, make, end, offsets, errors } = simulate({ source: channel });
    const store = disk.open();
    const first = make({ store });
    first.start();
    await clock.until(() => offsets().length > 10);
    store.crash(false);
    await end(first);
    channel.visible = [makeEvent(FIRST + 30)];
    const second = make();
    second.start();
    await clock.pass(60_000);
    await end(second);
    should(errors.map(({ message }) => message).join()).match(/offset 1000 to 1029 may/);
  });

  it("is reported where it comes between two attempts to deliver", async () => {
    const channel = channelOf(range(FIRST, LAST));
    let fails = true;
    const { clock, make, end, errors } = simulate({
      source: channel,
      deliver: () => {
        if (fails) throw new Error("not now");
      },
    });
    const consumer = make();
    consumer.start();
    await clock.until(() => errors.length > 0);
    channel.visible = [makeEvent(LAST + 1), makeEvent(LAST + 2)];
    fails = false;
    await clock.pass(60_000);
    await end(consumer);
    should(errors.map(({ code }) => code)).eql(["DELIVERY_FAILED", "EVENTS_NOT_KEPT"]);
    should(errors[1]?.message).match(/offset 1000 to 1066 may/);
  });

  for (const direction of ["up", "down"] as const)
    it(`is reported for a late event below the cursor (${direction})`, async () => {
      const channel = channelOf([...range(900, 949), ...range(951, 1_100)], { direction });
      const world = simulate({ source: channel, commit: "on-ack", inFlight: 500, ackTimeoutMs: 3_600_000 });
      const { clock, disk, make, end, offsets, errors } = world;
      const boot = (store = disk.open()) => {
        const consumer: EventConsumer = make({
          store,
          deliver: (delivery) => {
            world.deliveries.push(delivery);
            if (delivery.offset !== 950) consumer.ack(delivery.event.event_id);
          },
        });
        consumer.start();
        return consumer;
      };
      const store = disk.open();
      const first = boot(store);
      await clock.pass(30_000);
      should(disk.saves.at(-1)?.cursor).equal(1_100);
      channel.publish(makeEvent(950));
      await clock.until(() => offsets().includes(950), 300_000);
      // What was saved with the cursor above it is on the disk.
      store.crash(true);
      await end(first);
      should(disk.stored?.cursor).equal(1_100);
      const whole = boot();
      await clock.until(() => offsets().filter((offset) => offset === 950).length === 2);
      await end(whole);
      should(errors).eql([]);
      channel.visible = range(960, 1_101).map((offset) => makeEvent(offset));
      const second = boot();
      await clock.pass(60_000);
      await end(second);
      should(errors.map(({ message }) => message).join()).match(/offset 950 to 959 may/);
      should(offsets().filter((offset) => offset === 1_101).length).equal(1);
    });

  itWide(
    "is reported where more events were settled after the open one than are remembered before it",
    async () => {
      const channel = channelOf(range(1, 900));
      const { clock, disk, make, end, deliveries, errors } = simulate({
        ...{ source: channel, commit: "on-ack", inFlight: 10, ackTimeoutMs: 24 * 3_600_000 },
      });
      const boot = () => {
        const consumer: EventConsumer = make({
          deliver: (delivery) => {
            deliveries.push(delivery);
            if (delivery.offset !== 100) consumer.ack(delivery.event.event_id);
          },
        });
        consumer.start();
        return consumer;
      };
      const first = boot();
      await clock.pass(3 * 3_600_000);
      await end(first);
      should(disk.stored?.cursor).equal(99);
      should(disk.stored?.delivered.every(([offset]) => offset > 99)).be.true();
      channel.visible = range(500, 901).map((offset) => makeEvent(offset));
      const second = boot();
      await clock.pass(60_000);
      await end(second);
      should(errors.map(({ message }) => message).join()).match(/offset 100 to 499 may/);
      should(deliveries.at(-1)?.offset).equal(901);
    },
  );

  itWide("is reported where it takes the event at offset 0", async () => {
    for (const direction of ["up", "down"] as const) {
      const { restart } = await interrupted({ commit: "on-ack", first: 0, habits: { direction } });
      should((await restart(range(0, LAST))).said).eql([]);
      const cut = await interrupted({ commit: "on-ack", first: 0, habits: { direction } });
      should((await cut.restart(range(1, LAST))).said).eql(["0"]);
    }
  });

  it("is reported once", async () => {
    const { restart, disk } = await interrupted({ commit: "on-ack" });
    const kept = range(LAST + 1, LAST + 10);
    should((await restart(kept)).codes).eql(["EVENTS_NOT_KEPT"]);
    should(disk.stored).not.have.property("unsettledFrom");
    should(await restart(kept)).eql({ delivered: [], said: [], codes: [] });
  });

  it("needs no save for each event, also where events are late", async () => {
    const channel = channelOf(range(1, 600).filter((offset) => offset % 3 > 0));
    const { clock, disk, make, end, offsets } = simulate({ source: channel });
    let now = 0;
    const store = disk.open();
    const consumer = make({
      store: {
        ...store,
        save: async (state, urgency) => {
          if (urgency === "now") now += 1;
          await store.save(state, urgency);
        },
      },
    });
    consumer.start();
    await clock.until(() => offsets().length === 400);
    // The start, and each page at most.
    should(now).be.belowOrEqual(4);
    channel.publish(...range(1, 600).flatMap((offset) => (offset % 3 > 0 ? [] : [makeEvent(offset)])));
    await clock.until(() => offsets().length === 600, 600_000);
    should(now).be.belowOrEqual(4 + 4);
    await end(consumer);
  });

  it("is not looked for in what an earlier version stored", async () => {
    const { disk, restart } = await interrupted({ commit: "on-ack" });
    const { unsettledFrom, ...earlier } = disk.stored ?? ({} as never);
    should(unsettledFrom).equal(FIRST);
    disk.stored = earlier;
    const kept = range(LAST + 1, LAST + 10);
    should(await restart(kept)).eql({ delivered: kept, said: [], codes: [] });
  });
});

describeWide("A cut before the first settled event, in all worlds,", () => {
  const starts: Record<string, Pick<World, "start" | "seek">> = {
    beginning: {},
    offset: { start: { offset: 500 } },
    "offset of the first": { start: { offset: FIRST } },
    time: { start: { time: TIME_S } },
    "now, in an empty channel": { start: "now" },
    "seek to the beginning": { start: { offset: 5_000 }, seek: "beginning" },
    "seek to an offset": { start: { offset: 5_000 }, seek: { offset: 900 } },
    "seek to a time": { start: { offset: 5_000 }, seek: { time: TIME_S } },
  };
  // With all variants, each value of a column meets each start.
  const worlds = [
    ["on-send", "stop", "up", true, {}],
    ["on-send", "kill", "down", false, { types: ["watcher.status"] }],
    ["on-send", "kill", "up", false, { pageLimit: 7 }],
    ["on-ack", "stop", "up", false, { types: ["watcher.status"] }],
    ["on-ack", "stop", "down", false, {}],
    ["on-ack", "kill", "down", true, { pageLimit: 7 }],
  ] as const;
  for (const [index, [name, start]] of Object.entries(starts).entries())
    it(`is reported after start: ${name}`, async () => {
      const some = [index, index + 3].map((at) => worlds.at(at % worlds.length) ?? worlds[0]);
      for (const [commit, ending, direction, inclusive, options] of sized<readonly (typeof worlds)[number][]>(
        some,
        worlds,
      ))
        await reportsCuts({ ...start, commit, ending, habits: { direction, inclusive }, options }, CUTS);
    });

  it("names each event that is lost, and none without a cut", () =>
    fc.assert(
      fc.asyncProperty(
        habits,
        fc.record({
          first: fc.constantFrom(0, 1, 40),
          steps: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 10, maxLength: 150 }),
          acknowledges: fc.func(fc.boolean()),
          inFlight: fc.integer({ min: 1, max: 10 }),
          oneType: fc.boolean(),
          late: fc.option(fc.nat(149), { nil: undefined }),
          ending: fc.constantFrom("stop", "kill", "kill with what may be saved"),
          keptFrom: fc.option(fc.nat(149), { nil: undefined }),
        }),
        async (habits, { first, steps, acknowledges, inFlight, oneType, late, ending, keptFrom }) => {
          let last = first;
          const all = steps.map((step, index) => {
            if (index > 0) last += step;
            return makeEvent(last, { type: index % 3 === 2 ? "wallet.status" : "watcher.status" });
          });
          const after = makeEvent(last + 3);
          const lateOne = late === undefined ? undefined : all[late];
          const channel = channelOf([], habits);
          channel.publish(...all.filter((event) => event !== lateOne));
          const { clock, disk, make, end, errors } = simulate({
            ...{ source: channel, commit: "on-ack", inFlight, ackTimeoutMs: 24 * 3_600_000 },
            ...(oneType ? { types: ["watcher.status"] } : {}),
          });
          const open = new Set<number>();
          let settlesAll = false;
          const boot = (store = disk.open()) => {
            const consumer: EventConsumer = make({
              store,
              deliver: ({ offset, event }) => {
                open.add(offset);
                if ((settlesAll || acknowledges(offset)) && consumer.ack(event.event_id)) open.delete(offset);
              },
            });
            consumer.start();
            return consumer;
          };
          const store = disk.open();
          const consumer = boot(store);
          await clock.pass(30_000);
          if (lateOne !== undefined) channel.publish(lateOne);
          await clock.pass(120_000);
          if (ending !== "stop") store.crash(ending !== "kill");
          await end(consumer);
          const codes = errors.splice(0).map(({ code }) => code);
          should(codes.filter((code) => code !== "FIRST_EVENT_NOT_SHOWN")).eql([]);
          const bound = keptFrom === undefined ? -1 : (all[keptFrom]?.headers.offset ?? last + 1);
          channel.visible = [...all, after].filter(({ headers }) => headers.offset >= bound);
          settlesAll = true;
          const again = boot();
          await clock.pass(300_000);
          await end(again);
          const reports = errors.filter(({ code }) => code === "EVENTS_NOT_KEPT");
          if (keptFrom === undefined || keptFrom === 0) should(reports).eql([]);
          const ranges = reports.map(({ message }) => {
            const [, from, to = from] = /offset (\d+)(?: to (\d+))? may/.exec(message) ?? [];
            return { from: Number(from), to: Number(to) };
          });
          // One that is still there was sent again.
          const missed = [...open].filter(
            (offset) => !ranges.some(({ from, to }) => from <= offset && offset <= to),
          );
          should(missed).eql([]);
        },
      ),
      { numRuns: sized(40, 300) },
    ));
});
