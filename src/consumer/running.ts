import { CrecError } from "../errors.ts";
import { canonicalId, isSameId } from "../protocol/index.ts";
import type { EventConsumer } from "./consumer.ts";
import type { CursorIdentity } from "./cursor-state.ts";

type Running = { consumer: EventConsumer; onConflict: () => void };

/** The consumers of this process that run, by identity: two of one would overwrite each other's place. */
const running = new Map<string, Running>();

/**
 * Claims a consumer's identity within this process. Gives the function that frees it again, or undefined when it is taken;
 * then the one that has it is told.
 */
export function claimName(consumer: EventConsumer, onConflict: () => void): (() => void) | undefined {
  const { service, channelId, consumer: name } = consumer.identity;
  const key = JSON.stringify([service, canonicalId(channelId), name]);
  const holder = running.get(key);
  if (holder !== undefined) {
    holder.onConflict();
    return undefined;
  }
  const mine = { consumer, onConflict };
  running.set(key, mine);
  return () => {
    if (running.get(key) === mine) running.delete(key);
  };
}

/**
 * The running consumers of this process that wait for the acknowledgement of an event; on one channel when its id
 * is given. Give it where the event's id may be of the form `offset:12`, which is unique in its channel only. More than
 * one where several consumers read a channel, none where the event is settled already.
 * @example
 * for (const consumer of findInFlight(eventId)) consumer.ack(eventId);
 */
export function findInFlight(eventId: string, channelId?: string): EventConsumer[] {
  return [...running.values()]
    .map(({ consumer }) => consumer)
    .filter(({ identity }) => channelId === undefined || isSameId(identity.channelId, channelId))
    .filter((consumer) => consumer.isInFlight(eventId));
}

export function nameTaken({ consumer, channelId }: CursorIdentity): CrecError {
  return new CrecError(
    "CONSUMER_NAME_TAKEN",
    `Two consumers are called "${consumer}" on channel ${channelId}. Give each its own name, or remove one; the first goes on, the second does not read.`,
  );
}
