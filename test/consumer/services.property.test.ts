import fc from "fast-check";
import should from "should";
import { type Delivery, EventConsumer } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import type { ChannelEvent } from "../../src/protocol/index.ts";
import {
  type Habits,
  IDENTITY,
  makeEvent,
  SimulatedChannel,
  SimulatedClock,
  SimulatedDisk,
} from "./simulation.ts";

const WINDOW = 50;
const PAGE = 80;

const habits: fc.Arbitrary<Habits> = fc
  .record({
    inclusive: fc.boolean(),
    direction: fc.constantFrom("up" as const, "down" as const),
    order: fc.constantFrom("ascending" as const, "descending" as const, "mixed" as const),
    hasMore: fc.constantFrom("honest" as const, "always" as const, "never" as const),
    pageCap: fc.constantFrom(PAGE, PAGE, 60, 20),
    repeats: fc.boolean(),
    honoursType: fc.boolean(),
  })
  // Pages below the limit that lead down and deny that there is more cannot be told from the end of a channel.
  .map((one) =>
    one.direction === "down" && one.pageCap < PAGE && one.hasMore === "never"
      ? { ...one, pageCap: PAGE }
      : one,
  );

/** Events in the order in which they become visible: never after one that is `WINDOW` or more above. */
const published: fc.Arbitrary<ChannelEvent[]> = fc
  .record({
    firstOffset: fc.constantFrom(1, 1, 7, 1000),
    steps: fc.array(
      fc.record({
        gap: fc.constantFrom(1, 1, 1, 2, 30, 200),
        late: fc.nat({ max: 10 }),
        other: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 400,
        size: "max",
      },
    ),
    lateness: fc.constantFrom(0, 1),
  })
  .map(({ firstOffset, steps, lateness }) => {
    let offset = firstOffset - 1;
    const events = steps.map(({ gap, other }, index) => {
      offset += index === 0 ? 1 : gap;
      return makeEvent(offset, { type: other ? "wallet.status" : "watcher.status" });
    });
    const order = [...events];
    events.forEach((event, index) => {
      const late = lateness * (steps[index]?.late ?? 0);
      let at = order.indexOf(event);
      for (let moved = 0; moved < late && at + 1 < order.length; moved += 1, at += 1) {
        const next = order[at + 1];
        if (next === undefined || next.headers.offset >= event.headers.offset + WINDOW) break;
        order[at + 1] = event;
        order[at] = next;
      }
    });
    return order;
  });

type Step = { publish: number; waitMs: number; crash: boolean; keepSoon: boolean; fail: boolean };
const script: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    publish: fc.constantFrom(0, 1, 3, 40, 300),
    waitMs: fc.constantFrom(0, 10, 500, 1_000, 5_000, 70_000),
    crash: fc.boolean(),
    keepSoon: fc.boolean(),
    fail: fc.constantFrom(false, false, true),
  }),
  { maxLength: 12, size: "max" },
);

let runs = 0;

type Arrival = { id: string; offset: number; redelivered: boolean };

describe("a consumer on a service of unknown habits", function () {
  this.timeout(120_000);

  it("delivers every event at least once, in order, and marks what it repeats", async () => {
    await fc.assert(
      fc.asyncProperty(
        habits,
        published,
        script,
        fc.boolean(),
        fc.nat(),
        async (habits, events, steps, oneType, seed) => {
          const channel = new SimulatedChannel(habits);
          const clock = new SimulatedClock();
          const disk = new SimulatedDisk();
          runs += 1;
          const identity = { ...IDENTITY, consumer: `run ${runs}` };
          const arrivals: Arrival[] = [];
          const isWanted = (event: ChannelEvent) => !oneType || event.headers.type === "watcher.status";
          const wanted = new Set(events.filter(isWanted).map(({ event_id }) => event_id));
          const arrived = new Set<string>();
          let unpublished = [...events];
          let random = seed;

          const boot = () => {
            const life = { alive: true };
            const store = disk.open();
            const consumer = new EventConsumer({
              source: channel,
              store: {
                ...store,
                save: async (state, urgency) => {
                  if (!life.alive) return;
                  // At and below the floor nothing is looked for ever again.
                  for (const event of events) {
                    if (event.headers.offset <= state.floor && wanted.has(event.event_id))
                      should(arrived.has(event.event_id)).equal(
                        true,
                        `floor ${state.floor} passed ${event.event_id}`,
                      );
                  }
                  await store.save(state, urgency);
                },
              },
              identity,
              start: "beginning",
              window: WINDOW,
              pageLimit: PAGE,
              ...(oneType ? { types: ["watcher.status"] } : {}),
              clock,
              random: () => {
                random = (random * 16_807 + 11) % 2_147_483_647;
                return random / 2_147_483_647;
              },
              deliver: async ({ event, offset, redelivered }: Delivery) => {
                // Time to crash between an event's arrival and its being counted.
                if (!life.alive) return new Promise(() => {});
                arrivals.push({ id: event.event_id, offset, redelivered });
                arrived.add(event.event_id);
                if (arrivals.length % 7 === 0) await clock.sleep(20, new AbortController().signal);
              },
            });
            consumer.start();
            return {
              consumer,
              kill: async (keepSoon: boolean) => {
                life.alive = false;
                store.crash(keepSoon);
                await finish(consumer);
              },
            };
          };
          const finish = async (consumer: EventConsumer) => {
            let over = false;
            void consumer.stop().then(() => {
              over = true;
            });
            await clock.until(() => over);
          };

          let current = boot();
          for (const { publish, waitMs, crash, keepSoon, fail } of steps) {
            channel.publish(...unpublished.slice(0, publish));
            unpublished = unpublished.slice(publish);
            channel.trouble = fail
              ? () => {
                  channel.trouble = undefined;
                  throw new CrecError("SERVICE_ERROR", "The service failed.");
                }
              : undefined;
            await clock.pass(waitMs);
            if (crash) {
              await current.kill(keepSoon);
              current = boot();
            }
          }
          channel.trouble = undefined;
          channel.publish(...unpublished);
          try {
            await clock.until(() => [...wanted].every((id) => arrived.has(id)), 2 * 3_600_000);
            const settledPolls = channel.polls.length;
            await clock.pass(300_000);
            // 5 idle minutes at up to 15 s an interval, some of it still slowing down; a lying service takes more.
            should(channel.polls.length - settledPolls).be.belowOrEqual(5 * 4 * 12);
          } finally {
            await finish(current.consumer);
          }

          const seen = new Map<string, Arrival>();
          const firsts: Arrival[] = [];
          for (const arrival of arrivals) {
            if (seen.has(arrival.id))
              should(arrival.redelivered).equal(true, `${arrival.id} came again unmarked`);
            else firsts.push(arrival);
            seen.set(arrival.id, arrival);
          }
          should([...seen.keys()].every((id) => wanted.has(id))).equal(true);
          const isLate = events.some(
            (event, index) => event.headers.offset < (events[index - 1]?.headers.offset ?? 0),
          );
          let highest = 0;
          for (const { offset } of firsts) {
            should(offset).be.above(isLate ? highest - WINDOW : highest);
            highest = Math.max(highest, offset);
          }
        },
      ),
      { numRuns: Number(process.env.CONSUMER_RUNS ?? 150) },
    );
  });
});
