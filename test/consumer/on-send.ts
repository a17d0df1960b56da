import fc from "fast-check";
import should from "should";
import { type Delivery, EventConsumer } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { randomFrom } from "../support/random.ts";
import { failingDisk, habits, isAnyLate, PAGE, published, script } from "./generators.ts";
import { end, IDENTITY, SimulatedChannel, SimulatedClock, SimulatedDisk } from "./simulation.ts";

let runs = 0;

type Arrival = { id: string; offset: number; redelivered: boolean; late: boolean };

/** On send: every event arrives at least once, first arrivals in order, repeats after a crash and marked. */
export function onSend() {
  return fc.asyncProperty(
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
      const violations: string[] = [];
      const isWanted = (event: EventEnvelope) => !oneType || event.headers.type === "watcher.status";
      const wanted = new Set(events.filter(isWanted).map(({ event_id }) => event_id));
      const arrived = new Set<string>();
      let unpublished = [...events];
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
              for (const { event_id: id, headers } of events) {
                if (headers.offset <= state.floor && wanted.has(id) && !arrived.has(id))
                  violations.push(`floor ${state.floor} passed ${id}`);
              }
              await store.save(state, urgency);
            },
          },
          identity,
          start: "beginning",
          pageLimit: PAGE,
          ...(oneType ? { types: ["watcher.status"] } : {}),
          clock,
          random: randomFrom(seed),
          deliver: async ({ event, offset, redelivered, late }: Delivery) => {
            // Time to crash between an event's arrival and its being counted.
            if (!life.alive) return new Promise(() => {});
            if ((disk.stored?.handedOut ?? -1) < offset)
              violations.push(`${event.event_id}: handed over before it was stored`);
            if (!disk.wouldMiss(offset)) violations.push(`${event.event_id}: its loss would not be noticed`);
            arrivals.push({ id: event.event_id, offset, redelivered, late });
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
            await end(clock, consumer);
          },
        };
      };
      let current = boot();
      const random = randomFrom(seed + 1);
      for (const { publish, waitMs, crash, keepSoon, fail, diskFails } of steps) {
        disk.fault = failingDisk(diskFails, random);
        channel.publish(...unpublished.slice(0, publish));
        unpublished = unpublished.slice(publish);
        channel.fault = fail
          ? () => {
              channel.fault = undefined;
              throw new CrecError("SERVICE_ERROR", "The service failed.");
            }
          : undefined;
        await clock.pass(waitMs);
        if (crash) {
          await current.kill(keepSoon);
          current = boot();
        }
      }
      channel.fault = undefined;
      disk.fault = undefined;
      channel.publish(...unpublished);
      try {
        await clock.until(() => [...wanted].every((id) => arrived.has(id)), 2 * 3_600_000);
        const settledPolls = channel.polls.length;
        await clock.pass(300_000);
        // 5 idle minutes at up to 15 s an interval, some of it still slowing down; a lying service takes more. And all is
        // read again some times, in pages of 20.
        should(channel.polls.length - settledPolls).be.belowOrEqual(5 * 4 * 12 + 6 * 20);
      } finally {
        await end(clock, current.consumer);
      }

      should(violations).eql([]);
      const seen = new Map<string, Arrival>();
      const firsts: Arrival[] = [];
      for (const arrival of arrivals) {
        if (seen.has(arrival.id))
          should(arrival.redelivered).equal(true, `${arrival.id} came again unmarked`);
        else firsts.push(arrival);
        seen.set(arrival.id, arrival);
      }
      should([...seen.keys()].every((id) => wanted.has(id))).equal(true);
      const isLate = isAnyLate(events);
      let highest = 0;
      for (const { offset, redelivered, late } of firsts) {
        if (!isLate) should(late).be.false();
        if (!late && !redelivered) should(offset).be.above(highest);
        highest = Math.max(highest, offset);
      }
    },
  );
}
