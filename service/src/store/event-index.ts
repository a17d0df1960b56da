import type { DatabaseSync } from "node:sqlite";
import { BLOCK } from "./block-places.ts";
import { EventTail } from "./event-tail.ts";
import type { Yielder } from "./yielder.ts";

/** Events read by one statement: that takes about a millisecond. */
const READ_AT_ONCE = 256;
/** Channels whose last block stays in memory: each takes up to some hundred kB. */
const MAX_TAILS = 16;

/** The last blocks of the channels, and what makes them rows of the index. */
export class EventIndex {
  readonly #database: DatabaseSync;
  readonly #tails = new Map<string, EventTail>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Call it for each event that is appended, in its transaction. */
  appended(channelId: string, offset: number): void {
    // What it read was rolled back.
    if (offset <= (this.#tails.get(channelId)?.last ?? -1)) this.#tails.delete(channelId);
    // Most of a full block is in memory before it is stored. One that made room for others is then read as a whole.
    const place = offset % BLOCK;
    if ((place + 1) % READ_AT_ONCE !== 0) return;
    const isNeeded = place < READ_AT_ONCE || place === BLOCK - 1 || this.#tails.has(channelId);
    if (!isNeeded) return;
    const tail = this.#tailOf(channelId);
    tail.readTo(offset);
    if (tail.last < tail.end) return;
    tail.store();
    this.#tails.delete(channelId);
  }

  /** The last block with all events up to this last one of the channel. It yields to the event loop. */
  async tail(channelId: string, last: number, yielder: Yielder): Promise<EventTail> {
    // It read what was rolled back.
    if ((this.#tails.get(channelId)?.last ?? -1) > last) this.#tails.delete(channelId);
    const tail = this.#tailOf(channelId);
    while (tail.last < Math.min(last, tail.end)) {
      if (yielder.shouldYield()) await yielder.yield();
      tail.readTo(Math.min(tail.last + READ_AT_ONCE, last));
    }
    return tail;
  }

  /** The channel that was used last comes last: the first one makes room. */
  #tailOf(channelId: string): EventTail {
    const tail = this.#tails.get(channelId) ?? new EventTail(this.#database, channelId);
    this.#tails.delete(channelId);
    this.#tails.set(channelId, tail);
    const [oldest] = this.#tails.keys();
    if (this.#tails.size > MAX_TAILS && oldest !== undefined) this.#tails.delete(oldest);
    return tail;
  }
}
