import { callable, like, optional, text } from "../options/index.ts";
import type { EventEnvelope, EventPage, EventType, Open } from "../protocol/index.ts";

/** Reads the events of one channel. */
export type EventSource = {
  /** Without `offset`: the newest `limit` events. With it: a page at that offset, which may begin or end there. */
  poll(
    params: { offset?: number; limit: number; type?: Open<EventType> },
    signal: AbortSignal,
  ): Promise<EventPage<EventEnvelope>>;
  /** One event by its id, or `offset:7`. */
  get(eventId: string, signal: AbortSignal): Promise<EventEnvelope>;
};

/** Called with how long a request waited for its turn under the limit of requests, in milliseconds. */
type OnTurn = (waitedMs: number) => void;

/** The part of the client's `events` that a consumer needs. */
export type EventCalls = {
  poll(
    channelId: string,
    params: { offset?: number; limit?: number; type?: Open<EventType> },
    options: { signal: AbortSignal; inParts: false; background: true | OnTurn },
  ): Promise<EventPage<EventEnvelope>>;
  get(channelId: string, eventId: string, options: { signal: AbortSignal }): Promise<EventEnvelope>;
};

export const eventCallsKind = like<EventCalls>({ poll: callable(), get: callable() });

/**
 * The events of one channel as a source. Its polls leave room for other calls where the client's requests are limited.
 * @example
 * const { events } = await eventSource(client.events, channelId).poll({ limit: 1 }, AbortSignal.timeout(5_000));
 */
export function eventSource(events: EventCalls, channelId: string, onTurn?: OnTurn): EventSource {
  eventCallsKind(events, "events");
  text(channelId, "channelId");
  optional(callable())(onTurn, "onTurn");
  return {
    poll: (params, signal) =>
      events.poll(channelId, params, { signal, inParts: false, background: onTurn ?? true }),
    get: (eventId, signal) => events.get(channelId, eventId, { signal }),
  };
}
