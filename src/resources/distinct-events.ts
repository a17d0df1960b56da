import type { ChannelEvent } from "../protocol/index.ts";

/** Pages may be short: fewer repeated events than this can be due to new ones. */
const LEAST_REPEATED = 20;

/**
 * Each event once: where the newest come first, events that are made meanwhile move others to the next page. Ends when
 * as many in a row as were read before have come again: then the service ignores `offset`, and would go on for ever.
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
