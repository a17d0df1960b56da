import { isSameId } from "../protocol/index.ts";
import { type EventConsumer, running } from "./consumer.ts";

/**
 * The running consumers of this process that wait for the acknowledgement of an event; of one channel when its id is
 * given. Give it for an event id such as `offset:12`, which is unique in its channel only. Several when several
 * consumers read a channel, none when the event is settled.
 * @example
 * for (const consumer of findInFlight(eventId)) consumer.ack(eventId);
 */
export function findInFlight(eventId: string, channelId?: string): EventConsumer[] {
  return [...running]
    .filter(({ identity }) => channelId === undefined || isSameId(identity.channelId, channelId))
    .filter((consumer) => consumer.isInFlight(eventId));
}
