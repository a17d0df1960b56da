import type { Delivery, EventConsumer, EventConsumerOptions, EventSource } from "../../src/consumer/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { type Habits, makeEvent, SimulatedChannel, simulate } from "./simulation.ts";

/** By the row of the guide that says it. */
export type BehaviourTests = Readonly<Record<string, () => Promise<void>>>;

export const MODES = ["on-send", "on-ack"] as const;

export const eventsAt = (offsets: readonly number[]): EventEnvelope[] =>
  offsets.map((offset) => makeEvent(offset));

export function channelOf(offsets: readonly number[], habits: Partial<Habits> = {}): SimulatedChannel {
  const channel = new SimulatedChannel(habits);
  channel.publish(...eventsAt(offsets));
  return channel;
}

/** An inclusive service that leads up, of whatever the list holds: nothing is copied. */
export function listSource(events: () => readonly unknown[]): EventSource {
  const offsetOf = (event: unknown) => {
    const { headers, offset } = event as Partial<EventEnvelope> & { offset?: number };
    return headers?.offset ?? offset ?? 0;
  };
  return {
    get: () => Promise.reject(new Error("It is never asked for by its id.")),
    poll: async ({ offset, limit }) => {
      const all = events();
      const from =
        offset === undefined
          ? Math.max(0, all.length - limit)
          : all.findIndex((one) => offsetOf(one) >= offset);
      return { events: (from < 0 ? [] : all.slice(from, from + limit)) as EventEnvelope[], has_more: false };
    },
  };
}

/** A consumer that runs; it acknowledges what it takes unless told otherwise. */
export function read(source: EventSource, options: Partial<EventConsumerOptions> = {}) {
  let consumer: EventConsumer;
  const take = (delivery: Delivery) => {
    world.deliveries.push(delivery);
    consumer.ack(delivery.event.event_id);
  };
  const world = simulate({ source, deliver: take, ...options });
  consumer = world.make();
  consumer.start();
  return {
    ...world,
    /** Lets a minute, or `ms`, pass, then stops. Returns the delivered offsets. */
    offsetsAfter: async (ms = 60_000) => {
      await world.clock.pass(ms);
      await world.end(consumer);
      return world.offsets();
    },
    /** Another run, as after a restart. */
    restart: () => {
      consumer = world.make();
      consumer.start();
    },
    codes: () => world.errors.map(({ code }) => code),
    consumer: () => consumer,
  };
}
