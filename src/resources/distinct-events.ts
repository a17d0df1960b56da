import type { ChannelEvent } from "../protocol/index.ts";

/** Fewer repeated events in a row than this can have their cause in new events. */
const LEAST_REPEATED = 20;

/**
 * Each event once: events that are created during a search can move others to the next page, where they come again.
 * Ends when as many events in a row were repeated as were read before: the service then ignores `offset`, and its pages
 * would never end.
 * @example
 * for await (const event of distinctEvents(client.events.search(channelId))) show(event.event_id);
 */
export async function* distinctEvents(events: AsyncIterable<ChannelEvent>): AsyncGenerator<ChannelEvent> {
  const seen = new Set<string>();
  let repeated = 0;
  for await (const event of events) {
    if (seen.has(event.event_id)) {
      repeated += 1;
      if (repeated >= Math.max(seen.size, LEAST_REPEATED)) return;
    } else {
      repeated = 0;
      seen.add(event.event_id);
      yield event;
    }
  }
}
