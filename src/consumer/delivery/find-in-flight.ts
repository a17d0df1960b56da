import { callable, like, optional, text } from "../../options/index.ts";
import { isSameId } from "../../protocol/index.ts";
import type { CursorIdentity } from "../../storage/cursor/cursor-state.ts";
import { type EventConsumer, running } from "../consumer.ts";

/** What waits for the acknowledgement of something that it sent: a consumer, or another sender with ids of its own. */
export type AckReceiver = Pick<EventConsumer, "identity" | "isInFlight" | "ack" | "refuse">;

const receiverKind = like<AckReceiver>({
  identity: like<CursorIdentity>({ channelId: text }),
  isInFlight: callable(),
  ack: callable(),
  refuse: callable(),
});

/** Other senders of this process. */
const others = new Set<AckReceiver>();

/** Registers a sender for `findInFlight`. Returns the function that removes it. */
export function noteAckReceiver(receiver: AckReceiver): () => void {
  others.add(receiverKind(receiver, "receiver"));
  return () => {
    others.delete(receiver);
  };
}

/**
 * The running consumers of this process that wait for the acknowledgement of an event; of one channel when its id is
 * given. Give it for an event id such as `offset:12`, which is unique in its channel only. Several when several
 * consumers read a channel, none when the event is settled.
 * @example
 * for (const consumer of findInFlight(eventId)) consumer.ack(eventId);
 */
export function findInFlight(eventId: string, channelId?: string): AckReceiver[] {
  text(eventId, "eventId");
  optional(text)(channelId, "channelId");
  return [...running, ...others]
    .filter(({ identity }) => channelId === undefined || isSameId(identity.channelId, channelId))
    .filter((consumer) => consumer.isInFlight(eventId));
}
