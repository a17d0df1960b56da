import type { ChannelEvent, CrecClient, EventPage } from "../../../src/index.ts";

/** The part of the client that reads events. */
export type EventReader = { readonly baseUrl: string; readonly events: Pick<CrecClient["events"], "poll"> };

/** Where a channel ends, and what an offset means in its pages. */
type Shape = {
  /** The highest offset. */
  end: number;
  /** The newest page, which may show an event at offset 0 that no page by offset shows. */
  newest: readonly ChannelEvent[];
  /** Whether pages by offset lead to older events. */
  isDown: boolean;
  /** Whether a page by offset has the event of that offset. */
  isInclusive: boolean;
};

const PAGE = 200;

/**
 * The pages of a channel, whatever its service does: it promises neither their order nor whether an offset is included.
 * Its end is read once, so that a channel that grows while it is read has an end.
 */
export class ChannelPages {
  readonly channelId: string;
  readonly #reader: EventReader;
  readonly #signal: AbortSignal | undefined;
  readonly #shape: Shape | undefined;

  private constructor(
    reader: EventReader,
    channelId: string,
    signal: AbortSignal | undefined,
    shape: Shape | undefined,
  ) {
    this.#reader = reader;
    this.channelId = channelId;
    this.#signal = signal;
    this.#shape = shape;
  }

  /** @throws what `events.poll` throws */
  static async open(reader: EventReader, channelId: string, signal?: AbortSignal): Promise<ChannelPages> {
    const pages = new ChannelPages(reader, channelId, signal, undefined);
    return new ChannelPages(reader, channelId, signal, await pages.#learn());
  }

  /** The highest offset; undefined for a channel without events. */
  get end(): number | undefined {
    return this.#shape?.end;
  }

  /** Whether `beside` looks for older events. */
  get isDown(): boolean {
    return this.#shape?.isDown ?? false;
  }

  /** The event at an offset, or the next one to which pages lead from there. Undefined where they lead to none. */
  async beside(offset: number): Promise<ChannelEvent | undefined> {
    const { isDown, isInclusive } = this.#shape ?? { isDown: false, isInclusive: true };
    const at = isInclusive ? offset : isDown ? offset + 1 : Math.max(0, offset - 1);
    const page = await this.#poll({ offset: at, limit: 2 });
    const isBeyond = ({ headers }: ChannelEvent) =>
      isDown ? headers.offset <= offset : headers.offset >= offset;
    return isDown ? page.filter(isBeyond).at(-1) : page.find(isBeyond);
  }

  /**
   * All events from an offset to the end, in their order, a page at a time. The next page is read when the one before
   * has been taken.
   */
  async *from(offset: number): AsyncGenerator<readonly ChannelEvent[]> {
    const shape = this.#shape;
    if (shape === undefined || offset > shape.end) return;
    yield* shape.isDown ? this.#down(offset, shape) : this.#up(offset, shape);
  }

  async *#up(from: number, { end, newest, isInclusive }: Shape): AsyncGenerator<readonly ChannelEvent[]> {
    let next = from;
    const first = newest.filter(({ headers }) => headers.offset === 0);
    if (!isInclusive && next === 0 && first.length > 0) {
      yield first;
      next = 1;
    }
    while (next <= end) {
      const page = await this.#poll({ offset: isInclusive ? next : Math.max(0, next - 1), limit: PAGE });
      const events = page.filter(({ headers }) => headers.offset >= next && headers.offset <= end);
      const last = events.at(-1)?.headers.offset;
      if (last === undefined) return;
      yield events;
      next = last + 1;
    }
  }

  /** Pages lead to older events: windows of a page each, and in each of them down to its start. */
  async *#down(from: number, { end, isInclusive }: Shape): AsyncGenerator<readonly ChannelEvent[]> {
    for (let start = from; start <= end; start += PAGE) {
      const last = Math.min(end, start + PAGE - 1);
      const found = new Map<number, ChannelEvent>();
      for (let upTo = last; upTo >= start; ) {
        const page = await this.#poll({ offset: isInclusive ? upTo : upTo + 1, limit: PAGE });
        const events = page.filter(({ headers }) => headers.offset <= upTo);
        for (const event of events) if (event.headers.offset >= start) found.set(event.headers.offset, event);
        const lowest = events[0]?.headers.offset;
        if (lowest === undefined) break;
        upTo = lowest - 1;
      }
      if (found.size > 0) yield [...found.values()].sort(byOffset);
    }
  }

  async #learn(): Promise<Shape | undefined> {
    const newest = await this.#poll({ limit: PAGE });
    const end = newest.at(-1)?.headers.offset;
    if (end === undefined) return undefined;
    const at = await this.#poll({ offset: end, limit: 2 });
    const isDown = at.some(({ headers }) => headers.offset < end);
    const isInclusive = at.some(({ headers }) => headers.offset === end);
    return { end, newest, isDown, isInclusive };
  }

  async #poll(position: { offset?: number; limit: number }): Promise<readonly ChannelEvent[]> {
    const options = this.#signal ? { signal: this.#signal } : {};
    const page: EventPage = await this.#reader.events.poll(this.channelId, position, options);
    return page.events.sort(byOffset);
  }
}

function byOffset(one: ChannelEvent, other: ChannelEvent): number {
  return one.headers.offset - other.headers.offset;
}
