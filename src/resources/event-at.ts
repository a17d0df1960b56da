import { NotFoundError } from "../http/index.ts";
import type { ChannelEvent, EventPage } from "../protocol/index.ts";

/**
 * The event at an offset, whether or not a page includes its own offset, and whether pages ascend or descend.
 * @throws {NotFoundError} `EVENT_NOT_FOUND`; what `poll` throws.
 */
export async function eventAt(
  offset: number,
  poll: (position: { offset: number; limit: number }) => Promise<EventPage>,
): Promise<ChannelEvent> {
  const [lowest, highest] = [0, Number.MAX_SAFE_INTEGER];
  for (const at of new Set([offset, Math.max(lowest, offset - 1), Math.min(highest, offset + 1)])) {
    const { events } = await poll({ offset: at, limit: 1 });
    const event = events.find(({ headers }) => headers.offset === offset);
    if (event) return event;
  }
  const message = `The channel shows no event at offset ${offset}. Check the channel and the offset.`;
  throw new NotFoundError("EVENT_NOT_FOUND", message);
}
