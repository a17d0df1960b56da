import type { ChannelEvent } from "../../../src/index.ts";
import { BLOCK, type BlockCache } from "./block-cache.ts";
import type { ChannelPages } from "./channel-pages.ts";

/**
 * All events of a channel from the block of an offset to its end, in their order: from the cache where it has them, else
 * from the service. What is read is kept, except for the newest page: events can appear in it late.
 */
export async function* readBlocks(
  pages: ChannelPages,
  cache: BlockCache | undefined,
  from: number,
): AsyncGenerator<readonly ChannelEvent[]> {
  const { end } = pages;
  if (end === undefined) return;
  for (let block = blockOf(from); block * BLOCK <= end; ) {
    const kept = await cache?.read(block);
    if (kept === undefined) block = yield* readFrom(pages, cache, block);
    else {
      yield kept;
      block += 1;
    }
  }
}

/** Reads from the service until a block that is kept, or the end. Returns the block to continue with. */
async function* readFrom(
  pages: ChannelPages,
  cache: BlockCache | undefined,
  first: number,
): AsyncGenerator<readonly ChannelEvent[], number> {
  const end = pages.end ?? -1;
  let block = first;
  let events: ChannelEvent[] = [];
  for await (const page of pages.from(first * BLOCK)) {
    for (const event of page) {
      const next = blockOf(event.headers.offset);
      if (next > block) {
        if ((block + 2) * BLOCK <= end + 1) await cache?.write(block, events);
        if (events.length > 0) yield events;
        [block, events] = [next, []];
        if (cache?.has(block)) return block;
      }
      events.push(event);
    }
  }
  if (events.length > 0) yield events;
  return blockOf(end) + 1;
}

function blockOf(offset: number): number {
  return Math.floor(offset / BLOCK);
}
