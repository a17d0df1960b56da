import type { ChannelEvent } from "../protocol/index.ts";
import type { Clock } from "./clock.ts";
import type { Cursor } from "./cursor.ts";
import { LateLooks, type LateWindow } from "./late-looks.ts";
import type { PageReader } from "./pages.ts";
import type { RereadPages } from "./reread-pages.ts";

export type LooksOptions = { cursor: Cursor; reader: PageReader; clock: Clock; window: LateWindow };

/** Hands over what is new in a page, ascending. Tells whether there was something. */
export type Take = (events: readonly ChannelEvent[]) => Promise<boolean>;

/** So many pages that were read before are read after what is new: what is new must not wait for all of them. */
const PAGES_A_LOOK = 5;

/** So many events that were there before a start may have hidden others that become visible just then. */
const FIRST_EVENTS = 50;

/** Looks at a channel: reads what is new, and then some of what is due to be read again. */
export class Looks {
  readonly #cursor: Cursor;
  readonly #reader: PageReader;
  readonly #window: LateWindow;
  readonly #late: LateLooks;
  /** What is being read again, and up to where nothing was looked for any more when that began. */
  #again: { pages: RereadPages; settled: number } | undefined;

  constructor({ cursor, reader, clock, window }: LooksOptions) {
    this.#cursor = cursor;
    this.#reader = reader;
    this.#window = window;
    this.#late = new LateLooks({ clock, window }, cursor.seen);
  }

  /** One look. Tells whether there was something new, or is more to read. Throws what reading and taking throw. */
  async look(take: Take, signal: AbortSignal): Promise<boolean> {
    const cursor = this.#cursor;
    const from = this.#late.begin(cursor.readUpTo, () =>
      Math.max(cursor.floor, cursor.newest(FIRST_EVENTS) - 1),
    );
    let news = false;
    for await (const events of this.#reader.read(from, cursor.landmark, signal)) {
      this.#noteEnd();
      if (await take(events)) news = true;
      cursor.noteRead(events.at(-1)?.headers.offset ?? -1);
    }
    this.#noteEnd();
    return (await this.#lookAgain(take, signal)) || news;
  }

  /** An event came late: others may have. */
  foundLate(): void {
    this.#late.foundLate();
  }

  async #lookAgain(take: Take, signal: AbortSignal): Promise<boolean> {
    let news = false;
    for (let page = 0; page < PAGES_A_LOOK; page += 1) {
      this.#again ??= this.#due();
      if (this.#again === undefined) return news;
      const { pages, settled } = this.#again;
      if (await take(await pages.next(signal))) news = true;
      this.#forget(Math.min(pages.covered, settled));
      if (pages.isOver) this.#again = undefined;
    }
    return true;
  }

  #due() {
    const cursor = this.#cursor;
    const { floor, readUpTo } = cursor;
    const look = this.#late.due({ floor, readUpTo, newest: () => cursor.newest(this.#window.events) });
    if (look === undefined) return undefined;
    const pages = this.#reader.again(look.from, look.upTo, cursor.lowestAbove(look.from));
    // Only where it begins at the floor can that move.
    const settled = look.from === floor ? this.#late.settled : floor;
    return pages && { pages, settled };
  }

  /** Nothing at or below this offset is looked for any more, but for the newest events. */
  #forget(settled: number): void {
    if (settled <= this.#cursor.floor) return;
    this.#cursor.finalize(Math.min(settled, this.#cursor.newest(this.#window.events) - 1));
  }

  #noteEnd(): void {
    this.#late.note(this.#reader.highest);
    this.#cursor.seen = this.#late.marks;
  }
}
