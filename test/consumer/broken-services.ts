import fc from "fast-check";
import should from "should";
import { EventConsumer, type EventSource } from "../../src/consumer/index.ts";
import type { CrecError } from "../../src/errors.ts";
import { randomFrom } from "../support/random.ts";
import { countOf, habits, PAGE, published } from "./generators.ts";
import {
  end,
  IDENTITY,
  makeEvent,
  range,
  SimulatedChannel,
  SimulatedClock,
  SimulatedDisk,
} from "./simulation.ts";

let runs = 0;

/** A consumer in either mode that acknowledges at once. */
function open(source: EventSource, { onAck, seed }: { onAck: boolean; seed: number }) {
  runs += 1;
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk();
  const arrived: string[] = [];
  const errors: CrecError[] = [];
  clock.activity = () => arrived.length + disk.saves.length;
  const consumer: EventConsumer = new EventConsumer({
    source,
    store: disk.open(),
    identity: { ...IDENTITY, consumer: `broken ${runs}` },
    start: "beginning",
    commit: onAck ? "on-ack" : "on-send",
    pageLimit: PAGE,
    clock,
    random: randomFrom(seed),
    deliver: ({ event }) => {
      arrived.push(event.event_id);
      consumer.ack(event.event_id);
    },
    onError: (error) => errors.push(error),
  });
  return { clock, disk, arrived, errors, consumer };
}

const mode = fc.record({ onAck: fc.boolean(), seed: fc.nat() });

/**
 * When a channel ends below the cursor for a while, the consumer reports it, keeps the cursor, and resumes when the
 * channel is back. When it comes back with other events, the consumer stops.
 */
export function movedBack() {
  const loss = fc.record({
    kept: fc.constantFrom(0, 0, 30, 90),
    replaced: fc.boolean(),
    more: fc.nat({ max: 3 }),
  });
  return fc.asyncProperty(
    habits,
    published,
    mode,
    loss,
    async (habits, events, mode, { kept, replaced, more }) => {
      const channel = new SimulatedChannel(habits);
      channel.publish(...events);
      const { clock, disk, arrived, errors, consumer } = open(channel, mode);
      consumer.start();
      try {
        await clock.until(() => arrived.length === countOf(events));
        await clock.pass(1_000);
        const offsets = events.map(({ headers }) => headers.offset);
        const last = Math.max(...offsets);
        const limit = (last * kept) / 100;
        channel.visible = events.filter(({ headers }) => headers.offset <= limit);
        await clock.until(() => consumer.state.kind === "beyond_end", 300_000);
        should(errors.at(-1)?.code).equal("CURSOR_BEYOND_END");
        should(disk.saves.at(-1)?.cursor).equal(last);
        const afresh = (offset: number) => makeEvent(offset, { id: `afresh-${offset}` });
        const added = range(last + 1, last + more).map(afresh);
        channel.visible = [...(replaced ? offsets.map(afresh) : events), ...added];
        arrived.length = 0;
        if (replaced) {
          await clock.until(() => consumer.state.kind === "stopped", 300_000);
          should(errors.at(-1)?.code).equal("CHANNEL_REPLACED");
          should(arrived).eql([]);
        } else {
          await clock.until(() => consumer.state.kind === "connected" && arrived.length === more, 300_000);
          should(arrived).eql(added.map(({ event_id }) => event_id));
        }
      } finally {
        await end(clock, consumer);
      }
    },
  );
}

/** Pages that do not advance are an error after a bound, nothing is passed over, and it goes on when they do. */
export function stuckPages() {
  const upwards = habits.map((habits) => ({ ...habits, direction: "up" as const }));
  return fc.asyncProperty(
    upwards,
    published,
    mode,
    fc.nat({ max: 100 }),
    async (habits, events, mode, at) => {
      const channel = new SimulatedChannel(habits);
      channel.publish(...events);
      const offsets = events.map(({ headers }) => headers.offset).sort((a, b) => a - b);
      const last = offsets.at(-1) ?? 0;
      const stuckAt = offsets[Math.floor((at / 101) * offsets.length)] ?? 0;
      let isStuck = true;
      const source: EventSource = {
        get: (eventId) => channel.get(eventId),
        poll: ({ offset, ...params }) =>
          channel.poll(
            offset === undefined
              ? params
              : { ...params, offset: isStuck ? Math.min(offset, stuckAt) : offset },
          ),
      };
      const { clock, arrived, errors, consumer } = open(source, mode);
      consumer.start();
      try {
        await clock.pass(600_000);
        const reached = Math.max(
          -1,
          ...channel.visible
            .filter(({ event_id }) => arrived.includes(event_id))
            .map(({ headers }) => headers.offset),
        );
        if (reached < last) should(errors.map(({ code }) => code)).containEql("PAGES_DO_NOT_ADVANCE");
        should(channel.polls.length).be.below(1_500);
        isStuck = false;
        await clock.until(() => arrived.length === countOf(events), 300_000);
        should(new Set(arrived).size).equal(countOf(events));
      } finally {
        await end(clock, consumer);
      }
    },
  );
}
