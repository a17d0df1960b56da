import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChannelEvent } from "../../../src/index.ts";
import { checksumOf } from "../../../src/storage/checksum.ts";
import { renameOver } from "../../../src/storage/durable-files.ts";
import type { ChannelPages } from "./channel-pages.ts";

/** A block is all events of so many offsets: as many as one page has. */
const BLOCK = 200;

const NAME = /^(\d+)\.json$/;

/**
 * The events of a channel that were read before, on disk: an event never changes, and keeps its offset. One file a
 * block, with its checksum in the first line. Not durable: what is lost or torn is read from the service again. A folder
 * that cannot be written is as an empty one.
 */
export class BlockCache {
  readonly #folder: string;
  readonly #blocks: Set<number>;

  private constructor(folder: string, blocks: Iterable<number>) {
    this.#folder = folder;
    this.#blocks = new Set(blocks);
  }

  /**
   * What is kept of a channel. One of its events is compared with that of the service: where another has its offset, or
   * none, it is another channel by now, and what was kept is removed.
   */
  static async open(cacheFolder: string, service: string, pages: ChannelPages): Promise<BlockCache> {
    const folder = join(cacheFolder, checksumOf(`${service} ${pages.channelId}`).slice(0, 32));
    const names = await readdir(folder).catch(() => []);
    const blocks = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
    const cache = new BlockCache(folder, blocks);
    // The newest one: a service may drop the oldest events.
    const newest = blocks.length === 0 ? undefined : await cache.read(Math.max(...blocks));
    const known = newest?.at(-1);
    const found = known && (await pages.beside(known.headers.offset));
    if (known?.event_id === found?.event_id && known !== undefined) return cache;
    if (blocks.length > 0) await rm(folder, { recursive: true, force: true }).catch(() => {});
    return new BlockCache(folder, []);
  }

  has(block: number): boolean {
    return this.#blocks.has(block);
  }

  /** The events of a block. Undefined where it is not kept, or damaged. */
  async read(block: number): Promise<ChannelEvent[] | undefined> {
    if (!this.#blocks.has(block)) return undefined;
    const text = await readFile(this.#pathOf(block), "utf8").catch(() => "");
    const end = text.indexOf("\n");
    const content = text.slice(end + 1);
    if (end >= 0 && text.slice(0, end) === checksumOf(content)) return JSON.parse(content) as ChannelEvent[];
    this.#blocks.delete(block);
    return undefined;
  }

  /** Keeps all events of a block. One whose proof is still missing must be read again. */
  async write(block: number, events: readonly ChannelEvent[]): Promise<void> {
    if (events.length === 0 || !events.every(isComplete)) return;
    const content = JSON.stringify(events);
    const temporary = join(this.#folder, `${randomUUID()}.tmp`);
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(temporary, `${checksumOf(content)}\n${content}`, { mode: 0o600 });
      await renameOver(temporary, this.#pathOf(block));
      this.#blocks.add(block);
    } catch {
      await rm(temporary, { force: true }).catch(() => {});
    }
  }

  #pathOf(block: number): string {
    return join(this.#folder, `${block}.json`);
  }
}

/** An event with a signed text gets its proof at the same time as others see it, or later. */
function isComplete({ headers, payload }: ChannelEvent): boolean {
  const isSigned = "verifiable_event" in payload || "verifiable_result" in payload;
  return !isSigned || headers.proofs.length > 0;
}

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
