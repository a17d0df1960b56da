import type { ChannelEvent } from "../protocol/index.ts";

/** Fewer repeated events in a row than this can have their cause in new events. */
const LEAST_REPEATED = 20;

/**
 * Each event once: where the newest come first, new events move others to the next page. Ends when as many events in a
 * row are repeated as were read before: then the service ignores `offset`, and would never end.
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
