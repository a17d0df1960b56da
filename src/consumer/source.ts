import type { ChannelEvent, EventPage } from "../protocol/index.ts";

/** Where pages of one channel's events come from. */
export type EventSource = {
  /** Without `offset`: the newest `limit` events. With it: a page positioned there, in a way not known. */
  poll(params: { offset?: number; limit: number; type?: string }, signal: AbortSignal): Promise<EventPage>;
  get(eventId: string, signal: AbortSignal): Promise<ChannelEvent>;
};

/** The part of the client's `events` that a consumer needs. */
export type EventCalls = {
  poll(
    channelId: string,
    params: { offset?: number; limit?: number; type?: string },
    options: { signal: AbortSignal },
  ): Promise<EventPage>;
  get(channelId: string, eventId: string, options: { signal: AbortSignal }): Promise<ChannelEvent>;
};

/**
 * The events of one channel as a source.
 * @example
 * const { events } = await eventSource(client.events, channelId).poll({ limit: 1 }, AbortSignal.timeout(5_000));
 */
export function eventSource(events: EventCalls, channelId: string): EventSource {
  return {
    poll: (params, signal) => events.poll(channelId, params, { signal }),
    get: (eventId, signal) => events.get(channelId, eventId, { signal }),
  };
}

/** Some versions of the service put the type beside the headers. */
export function typeOf(event: ChannelEvent): string {
  const { type } = event as { type?: unknown };
  return event.headers.type ?? (typeof type === "string" ? type : "");
}
