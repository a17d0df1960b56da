import type { ChannelEvent } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import type { Cursor } from "../cursor/cursor.ts";
import type { PageReader } from "../pages/page-reader.ts";
import type { RereadPages } from "../pages/reread-pages.ts";
import { type LateWindow, RereadSchedule } from "../pages/reread-schedule.ts";

type PollerOptions = { cursor: Cursor; reader: PageReader; clock: Clock; window: LateWindow };

/** Delivers what is new in a page, ascending. Returns whether there was something. */
type Take = (events: readonly ChannelEvent[]) => Promise<boolean>;

/** How many pages one poll reads again, after what is new: new events must not wait for all of them. */
const REREAD_PAGES_PER_POLL = 5;

/** How many events before a start may have hidden others that become visible just then. */
const FIRST_EVENTS = 50;

/** Polls a channel: reads what is new, and then some of what is due to be read again. */
export class Poller {
  readonly #cursor: Cursor;
  readonly #reader: PageReader;
  readonly #window: LateWindow;
  readonly #schedule: RereadSchedule;
  /** What is being read again, and up to where events were settled for good when that began. */
  #rereading: { pages: RereadPages; settled: number } | undefined;

  constructor({ cursor, reader, clock, window }: PollerOptions) {
    this.#cursor = cursor;
    this.#reader = reader;
    this.#window = window;
    this.#schedule = new RereadSchedule({ clock, window }, cursor.seen);
  }

  /** Returns whether there was something new, or is more to read. Throws what reading and taking throw. */
  async poll(take: Take, signal: AbortSignal): Promise<boolean> {
    const cursor = this.#cursor;
    const from = this.#schedule.begin(cursor.readUpTo, () =>
      Math.max(cursor.floor, cursor.newest(FIRST_EVENTS) - 1),
    );
    let news = false;
    for await (const events of this.#reader.read(from, () => cursor.mark, signal)) {
      this.#noteEnd();
      if (await take(events)) news = true;
      cursor.noteRead(events.at(-1)?.headers.offset ?? -1);
    }
    this.#noteEnd();
    return (await this.#reread(take, signal)) || news;
  }

  /** An event was late: others may be. */
  lateEventFound(): void {
    this.#schedule.lateEventFound();
  }

  async #reread(take: Take, signal: AbortSignal): Promise<boolean> {
    let news = false;
    for (let page = 0; page < REREAD_PAGES_PER_POLL; page += 1) {
      this.#rereading ??= this.#due();
      if (this.#rereading === undefined) return news;
      const { pages, settled } = this.#rereading;
      if (await take(await pages.next(signal))) news = true;
      this.#forget(Math.min(pages.covered, settled));
      if (pages.isOver) this.#rereading = undefined;
    }
    return true;
  }

  #due() {
    const cursor = this.#cursor;
    const { floor, readUpTo } = cursor;
    const newest = () => cursor.newest(this.#window.events);
    const range = this.#schedule.due({ floor, readUpTo, newest });
    if (range === undefined) return undefined;
    const pages = this.#reader.reread(range.from, range.upTo, cursor.lowestAbove(range.from));
    // The floor can only rise when reading begins at it.
    const settled = range.from === floor ? this.#schedule.settled : floor;
    return pages && { pages, settled };
  }

  /** Nothing is searched at or below this offset any more, except among the newest events. */
  #forget(settled: number): void {
    if (settled <= this.#cursor.floor) return;
    this.#cursor.finalize(Math.min(settled, this.#cursor.newest(this.#window.events) - 1));
  }

  #noteEnd(): void {
    this.#schedule.note(this.#reader.highest);
    this.#cursor.seen = this.#schedule.marks;
  }
}
