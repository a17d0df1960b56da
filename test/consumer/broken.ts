import fc from "fast-check";
import should from "should";
import { EventConsumer, type EventSource } from "../../src/consumer/index.ts";
import type { CrecError } from "../../src/errors.ts";
import { countOf, habits, PAGE, published, randomFrom, WINDOW } from "./family.ts";
import { end, IDENTITY, makeEvent, SimulatedChannel, SimulatedClock, SimulatedDisk } from "./simulation.ts";

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
    window: WINDOW,
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

/** A channel that ends below the cursor is an error, its place stays, and it goes on when somebody seeks. */
export function movedBack() {
  return fc.asyncProperty(habits, published, mode, fc.boolean(), async (habits, events, mode, isEmpty) => {
    const channel = new SimulatedChannel(habits);
    channel.publish(...events);
    const { clock, disk, arrived, errors, consumer } = open(channel, mode);
    consumer.start();
    try {
      await clock.until(() => arrived.length === countOf(events));
      await clock.pass(1_000);
      const last = Math.max(...events.map(({ headers }) => headers.offset));
      channel.visible = isEmpty ? [] : [makeEvent(last - 1, { id: "afresh" })];
      await clock.until(() => consumer.state.kind === "stopped", 300_000);
      should(errors.at(-1)?.code).equal("CURSOR_BEYOND_END");
      should(disk.stored?.cursor).equal(last);
      // What is new within the window is taken for late.
      arrived.length = 0;
      consumer.seek("beginning");
      if (isEmpty) channel.publish(makeEvent(last - 1, { id: "afresh" }));
      await clock.until(() => arrived.length > 0);
      should(arrived).eql(["afresh"]);
    } finally {
      await end(clock, consumer);
    }
  });
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
